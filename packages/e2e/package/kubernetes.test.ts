/**
 * The bases for Kubernetes: rendered by kustomize, and judged by the schemas of the API and of the Prometheus operator. No cluster
 * takes part: what the API's server checks beyond the schemas (names that refer to one another) is checked here for our own.
 */
// test-tier: long

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { needs } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { npm, root } from './packed.ts';

const kubernetes = suite('the bases for Kubernetes');

/** Schemas as functions, and a reader of YAML, at the versions that this test was written with. */
const SCHEMAS = 'kubernetes-models@5.1.0';
const OPERATOR_SCHEMAS = '@kubernetes-models/prometheus-operator@6.0.0';
const YAML = 'yaml@2.9.1';

const BASES = ['single', 'replicas', 'cluster'] as const;

type Fields = Readonly<Record<string, unknown>>;

interface Manifest extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Fields;
}

type Labels = Readonly<Record<string, string>>;

interface Container {
  readonly name: string;
  readonly image: string;
  readonly securityContext?: Fields;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly startupProbe?: Fields;
  readonly livenessProbe?: Fields;
  readonly readinessProbe?: Fields;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: Fields & { readonly containers: readonly Container[] };
}

interface Selector {
  readonly matchLabels: Labels;
}

const folder = mkdtempSync(path.join(tmpdir(), 'svc-kubernetes-'));
const configs = path.join(root, 'configs/kubernetes');

kubernetes.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function load(file: string): Promise<Fields> {
  return (await import(pathToFileURL(path.join(folder, 'node_modules', file)).href)) as Fields;
}

type Model = new (manifest: Fields) => { validate(): void };

/** Returns the module with the types and the model of a kind. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const isOperators = apiVersion.startsWith('monitoring.coreos.com/');
  const library = isOperators ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${library}/${apiVersion}/${kind}`;
}

/** Returns the model of a kind, whose constructor takes a manifest. */
async function modelOf(manifest: Manifest): Promise<Model> {
  const module = await load(`${moduleOf(manifest)}.js`);
  return module[manifest.kind] as Model;
}

/** Returns the fields that the API does not know, which the schemas admit: the compiler's complaints about the types of the kinds. */
function unknownFields(manifests: readonly Manifest[]): string {
  const lines = manifests.map((manifest, nth) => {
    const type = `T${String(nth)}`;
    const taken = `import type { I${manifest.kind} as ${type} } from '${moduleOf(manifest)}';`;
    return `${taken}\nexport const m${String(nth)}: ${type} = ${JSON.stringify(manifest)};\n`;
  });
  writeFileSync(path.join(folder, 'manifests.ts'), lines.join(''));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
  };
  const project = path.join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' }).stdout;
}

/** Returns what a schema has against a manifest. */
async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { kind, metadata } = manifest;
  const Schema = await modelOf(manifest);
  try {
    new Schema(manifest).validate();
    return [];
  } catch (error) {
    return [`${kind} ${metadata.name}: ${(error as Error).message}`];
  }
}

async function rendered(base: string): Promise<readonly Manifest[]> {
  const text = execFileSync('kubectl', ['kustomize', path.join(configs, base)], {
    encoding: 'utf8',
  });
  const yaml = (await load('yaml/dist/index.js')) as {
    default: { parseAllDocuments(text: string): readonly { toJS(): Manifest }[] };
  };
  return yaml.default.parseAllDocuments(text).map((document) => document.toJS());
}

function ofKind(manifests: readonly Manifest[], kind: string): readonly Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

function templatesIn(manifests: readonly Manifest[]): readonly PodTemplate[] {
  return manifests
    .filter(({ kind }) => kind === 'StatefulSet' || kind === 'Job')
    .map(({ spec }) => spec!['template'] as PodTemplate);
}

function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** Demands that pods have no rights that they do not need. */
function demandNoRights({ spec }: PodTemplate): void {
  const pod = spec['securityContext'] as Fields;
  assert.is(pod['runAsNonRoot'], true);
  assert.equal(pod['seccompProfile'], { type: 'RuntimeDefault' });
  assert.is(spec['automountServiceAccountToken'], false);
  for (const { securityContext } of spec.containers) {
    assert.equal(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
}

/** Demands that a node has its probes, its time to stop, and its secrets from files. */
function demandNode({ spec }: PodTemplate, configMaps: readonly string[]): void {
  const [container] = spec.containers;
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
    assert.ok(container?.[probe], probe);
  }
  assert.ok(Number(spec['terminationGracePeriodSeconds']) >= 60);
  const names = container!.env!.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
  for (const name of names.filter((each) => /PASS|TOKEN/.test(each))) assert.match(name, /_FILE$/);
  assert.ok(configMaps.includes(container!.envFrom![0]!.configMapRef.name));
}

/** Demands that each pod has one budget of disruptions at most, and each node one exactly. */
function demandBudgets(manifests: readonly Manifest[]): void {
  const budgets = ofKind(manifests, 'PodDisruptionBudget').map(
    ({ spec }) => (spec!['selector'] as Selector).matchLabels,
  );
  for (const set of ofKind(manifests, 'StatefulSet')) {
    const { labels } = (set.spec!['template'] as PodTemplate).metadata;
    const own = budgets.filter((selector) => selects(selector, labels));
    assert.is(own.length, 1, set.metadata.name);
  }
}

/** Demands that services, policies and monitors select pods that are there, and sets name services that are there. */
function demandReferences(manifests: readonly Manifest[]): void {
  const labels = templatesIn(manifests).map(({ metadata }) => metadata.labels);
  const isThere = (selector: Labels): boolean => labels.some((each) => selects(selector, each));
  const services = ofKind(manifests, 'Service');
  for (const { metadata, spec } of services) {
    assert.ok(isThere(spec!['selector'] as Labels), `service ${metadata.name}`);
  }
  for (const { spec } of ofKind(manifests, 'NetworkPolicy')) {
    assert.ok(isThere((spec!['podSelector'] as Selector).matchLabels));
  }
  for (const { spec } of ofKind(manifests, 'PodMonitor')) {
    assert.ok(isThere((spec!['selector'] as Selector).matchLabels));
  }
  const names = services.map(({ metadata }) => metadata.name);
  for (const { spec } of ofKind(manifests, 'StatefulSet')) {
    assert.ok(names.includes(String(spec!['serviceName'])));
  }
}

/** Returns the variables of settings in the manifests, for a start with them. */
function settingsIn(manifests: readonly Manifest[]): Readonly<Record<string, string>> {
  const data = ofKind(manifests, 'ConfigMap').map((manifest) => manifest['data'] as Labels);
  const given = templatesIn(manifests)
    .flatMap(({ spec }) => spec.containers.flatMap(({ env }) => env ?? []))
    .filter(({ name }) => name.startsWith('SVC_') && !name.endsWith('_FILE'))
    .map(({ name, value }) => [name, value ?? '10.0.0.1'] as const);
  return Object.assign({}, ...data, Object.fromEntries(given)) as Readonly<Record<string, string>>;
}

if (needs('kubectl')) {
  kubernetes.before(() => {
    // The models are for newer lines of Node, and run on this one.
    npm('install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', SCHEMAS);
    npm('install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', OPERATOR_SCHEMAS);
    npm('install', '--prefix', folder, '--ignore-scripts', '--prefer-offline', YAML);
  });

  for (const base of BASES) {
    kubernetes(`${base} is what the API accepts, without rights that are not needed`, async () => {
      const manifests = await rendered(base);
      const faults = await Promise.all(manifests.map(faultsOf));
      assert.equal(faults.flat(), []);
      assert.is(unknownFields(manifests), '');
      for (const template of templatesIn(manifests)) demandNoRights(template);
      const configMaps = ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name);
      const nodes = templatesIn(manifests).filter(
        ({ metadata }) => metadata.labels['app'] === 'svc',
      );
      assert.ok(nodes.length > 0);
      for (const node of nodes) demandNode(node, configMaps);
      for (const kind of ['NetworkPolicy', 'PodMonitor', 'ServiceAccount']) {
        assert.ok(ofKind(manifests, kind).length > 0, kind);
      }
      demandBudgets(manifests);
      demandReferences(manifests);
    });

    kubernetes(`${base} has settings that the server accepts`, async () => {
      const program = path.join(root, 'dist/bundle/server/main.js');
      const output = execFileSync(process.execPath, [program, 'check-config'], {
        encoding: 'utf8',
        cwd: folder,
        env: {
          ...process.env,
          ...settingsIn(await rendered(base)),
          SVC_PERSISTENCE__DATA_DIR: path.join(folder, 'data'),
          SVC_SECURITY__REQUIREPASS: 'password',
          SVC_HTTP__TOKEN: 'a-token-of-some-length',
        },
      });
      assert.match(output, 'the configuration is valid');
    });
  }

  kubernetes('are judged by schemas that find a mistake', async () => {
    const [set] = ofKind(await rendered('single'), 'StatefulSet');
    const wrong = { ...set!, spec: { ...set!.spec, replicas: 'many' } };
    assert.match((await faultsOf(wrong)).join(), '/spec/replicas');
    const parts = Object.entries(set!.spec!).filter(([name]) => name !== 'template');
    const incomplete = { ...set!, spec: Object.fromEntries(parts) };
    assert.match((await faultsOf(incomplete)).join(), 'template');
    const misspelt = { ...set!, spec: { ...set!.spec, replicaz: 1 } };
    assert.match(unknownFields([misspelt]), 'replicaz');
  });
}

kubernetes.run();
