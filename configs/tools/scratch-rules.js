/**
 * Scratch: module variables that hold something between two statements of one command, so that it need not be made
 * anew. A thread runs one command at a time, and that is all that makes them safe: whatever stops in between and goes
 * on later may find another's content.
 *
 * Two rules for ESLint: such a variable is called `...Scratch`, and nothing that can stop mentions one.
 */

const SCRATCH = /Scratch$/;
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;
/** Made with `new`, yet no scratch: tables that are filled once, and errors. */
const LASTING = /^(Map|Set|CommandTable|\w*Error)$/;

function isMutable(declarator, kind) {
  if (kind === 'let') return true;
  const { init } = declarator;
  return init?.type === 'NewExpression' && !LASTING.test(init.callee.name ?? '');
}

const scratchName = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { name: '{{ name }} changes with each command: call it ...Scratch.' },
  },
  create(context) {
    return {
      VariableDeclaration(node) {
        const { parent } = node;
        const holder = parent.type === 'ExportNamedDeclaration' ? parent.parent : parent;
        if (holder.type !== 'Program') return;
        for (const declarator of node.declarations) {
          const { name } = declarator.id;
          if (name === undefined || SCRATCH.test(name) || CONSTANT.test(name)) continue;
          if (isMutable(declarator, node.kind)) {
            context.report({ node: declarator, messageId: 'name', data: { name } });
          }
        }
      },
    };
  },
};

const noScratchAcrossStops = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      stops: '{{ name }} may be another command’s behind an await or a yield: make one of its own.',
    },
  },
  create(context) {
    return {
      Identifier(node) {
        if (!SCRATCH.test(node.name)) return;
        const { parent } = node;
        if (parent.type === 'MemberExpression' && parent.property === node && !parent.computed) {
          return;
        }
        for (let outer = parent; outer !== null; outer = outer.parent) {
          if (outer.async !== true && outer.generator !== true) continue;
          context.report({ node, messageId: 'stops', data: { name: node.name } });
          return;
        }
      },
    };
  },
};

export const scratchPlugin = {
  rules: { name: scratchName, 'no-stops': noScratchAcrossStops },
};
