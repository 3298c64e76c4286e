/** PEM files are looked into before Node passes over what they lack. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasCertificates, hasDhParameters } from './pem.ts';

const files = suite('pem files');

const block = (kind: string, der: readonly number[]): string =>
  `-----BEGIN ${kind}-----\n${Buffer.from(der).toString('base64')}\n-----END ${kind}-----\n`;

files('Diffie-Hellman parameters are whole or none', () => {
  const kind = 'DH PARAMETERS';
  assert.ok(hasDhParameters(block(kind, [0x30, 3, 2, 1, 5])));
  assert.ok(hasDhParameters(`text before\r\n${block(kind, [0x30, 0x81, 3, 2, 1, 5])}`));
  assert.ok(hasDhParameters(block('X9.42 DH PARAMETERS', [0x30, 0x82, 0, 3, 2, 1, 5])));
  const broken = [
    [],
    [0x30],
    [0x30, 4, 2, 1, 5],
    [2, 1, 5],
    [0x30, 0x80],
    [0x30, 0x85, 0, 0, 0, 0, 0],
  ];
  for (const der of broken) assert.not.ok(hasDhParameters(block(kind, der)), String(der));
  for (const text of ['', 'garbage', block('CERTIFICATE', [0x30, 0])]) {
    assert.not.ok(hasDhParameters(text), text);
  }
});

files('what is no certificate is none', () => {
  for (const text of ['', 'garbage', block('CERTIFICATE', [0x30, 3, 2, 1, 5])]) {
    assert.not.ok(hasCertificates(text), text);
  }
});

files.run();
