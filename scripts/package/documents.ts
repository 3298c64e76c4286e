/** Documents about the packages of others in a server: a bill of materials (CycloneDX 1.5), and their licences. */
import { createHash } from 'node:crypto';
import type { Component } from './components.ts';

/** Facts of a build, as they are in package.json of what is published. */
export interface BuildFacts {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The commit; with `-modified` behind it where files were changed since. */
  readonly commit: string;
  /** Time in the form of ISO 8601. */
  readonly time: string;
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Returns the bill of materials as JSON; the same for the same build. */
export function billOfMaterials(facts: BuildFacts, components: readonly Component[]): string {
  const self = purlOf(facts.name, facts.version);
  const listed = components.map((component) => {
    const purl = purlOf(component.name, component.version);
    return {
      type: 'library',
      'bom-ref': purl,
      name: component.name,
      version: component.version,
      scope: component.isBundled ? 'required' : 'optional',
      licenses: [{ expression: component.license }],
      ...(component.integrity === undefined ? {} : { hashes: [hashOf(component.integrity)] }),
      purl,
      properties: [{ name: 'svc:place', value: component.isBundled ? 'bundled' : 'installed' }],
    };
  });
  const id = createHash('sha256')
    .update(JSON.stringify([facts, listed]))
    .digest('hex');
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(id)}`,
    version: 1,
    metadata: {
      timestamp: facts.time,
      component: {
        type: 'application',
        'bom-ref': self,
        name: facts.name,
        version: facts.version,
        licenses: [{ expression: facts.license }],
        purl: self,
        properties: [{ name: 'svc:commit', value: facts.commit }],
      },
    },
    components: listed,
    dependencies: [{ ref: self, dependsOn: listed.map(({ purl }) => purl) }],
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** Returns a hash of the lock file, `sha512-<base64>`, as CycloneDX has it. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', base64 = ''] = integrity.split('-');
  const alg = algorithm.toUpperCase().replace('SHA', 'SHA-');
  return { alg, content: Buffer.from(base64, 'base64').toString('hex') };
}

/** Forms a UUID of version 5 from hexadecimal digits of a hash. */
function uuidOf(hex: string): string {
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `${a}-${b}-5${c}-8${d}-${e}`;
}

/** Returns the licences of all components; each text once, with the packages that have it. */
export function thirdPartyLicenses(components: readonly Component[]): string {
  const owners = new Map<string, string[]>();
  const withoutText: string[] = [];
  for (const { name, version, license, texts } of components) {
    const line = `${name} ${version} (${license})`;
    if (texts.length === 0) withoutText.push(line);
    for (const text of texts) owners.set(text, [...(owners.get(text) ?? []), line]);
  }
  const rule = '-'.repeat(80);
  const parts = [...owners].map(([text, lines]) => `${lines.join('\n')}\n\n${text}\n`);
  const rest = `Packages without a licence file, or only for other platforms:\n\n${withoutText.join('\n')}\n`;
  return [
    'Packages of others that svc-server contains or installs, and their licences.\n',
    ...parts,
    ...(withoutText.length === 0 ? [] : [rest]),
  ].join(`\n${rule}\n\n`);
}
