/** Checks of PEM files whose invalid contents Node would silently ignore. */

import { X509Certificate } from 'node:crypto';

/** Tag of a sequence in DER. */
const SEQUENCE = 0x30;
/** Bit of a length in DER: the following bytes contain the length. */
const LONG_LENGTH = 0x80;
const HEAD_BYTES = 2;

/** True if there is a certificate, and all certificates are readable. */
export function hasCertificates(text: string): boolean {
  const blocks = blocksOf(text, '(?:TRUSTED |X509 )?CERTIFICATE');
  return blocks.length > 0 && blocks.every((block) => isCertificate(block));
}

/** True when there are parameters of a Diffie-Hellman exchange, whole. */
export function hasDhParameters(text: string): boolean {
  const [block] = blocksOf(text, '(?:X9\\.42 )?DH PARAMETERS');
  if (block === undefined) return false;
  const der = Buffer.from(block.split('\n').slice(1, -1).join(''), 'base64');
  if (der.length < HEAD_BYTES || der[0] !== SEQUENCE) return false;
  const short = der[1]!;
  if (short < LONG_LENGTH) return der.length === HEAD_BYTES + short;
  const lengthBytes = short - LONG_LENGTH;
  const isPlausible = lengthBytes > 0 && lengthBytes <= 4 && der.length > HEAD_BYTES + lengthBytes;
  if (!isPlausible) return false;
  return der.length === HEAD_BYTES + lengthBytes + der.readUIntBE(HEAD_BYTES, lengthBytes);
}

/** Blocks of a kind, each from its first line to its last. */
function blocksOf(text: string, kind: string): readonly string[] {
  const pattern = new RegExp(`-----BEGIN (${kind})-----[^]*?-----END \\1-----`, 'g');
  return text.replaceAll('\r', '').match(pattern) ?? [];
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
