import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Makes just enough of X.509 for a TLS handshake, so that these tests need no other part of the project. */

export interface Pair {
  readonly key: string;
  readonly cert: string;
  readonly der: Uint8Array;
}

export const selfSigned = (name: string): Pair => {
  const keys = newKeys();
  return pairOf(
    keys.privateKey,
    certificate({ subject: name, issuer: name, publicKey: keys.publicKey, signer: keys.privateKey, serial: 1, isAuthority: false }),
  );
};

/** A client certificate, and the authority in between that signed it. */
export const issuedByIntermediate = (name: string): { readonly leaf: Pair; readonly intermediate: Pair } => {
  const [root, middle, leaf] = [newKeys(), newKeys(), newKeys()];
  return {
    intermediate: pairOf(
      middle.privateKey,
      certificate({
        subject: `${name} middle`,
        issuer: `${name} root`,
        publicKey: middle.publicKey,
        signer: root.privateKey,
        serial: 2,
        isAuthority: true,
      }),
    ),
    leaf: pairOf(
      leaf.privateKey,
      certificate({
        subject: name,
        issuer: `${name} middle`,
        publicKey: leaf.publicKey,
        signer: middle.privateKey,
        serial: 3,
        isAuthority: false,
      }),
    ),
  };
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pairOf = (key: KeyObject, der: Buffer): Pair => ({
  key: String(key.export({ type: 'pkcs8', format: 'pem' })),
  cert: `-----BEGIN CERTIFICATE-----\n${der
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')}\n-----END CERTIFICATE-----\n`,
  der: new Uint8Array(der),
});

interface Facts {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly serial: number;
  readonly isAuthority: boolean;
}

const certificate = ({ subject, issuer, publicKey, signer, serial, isAuthority }: Facts): Buffer => {
  const validity = sequence(tagged(0x17, Buffer.from('200101000000Z')), tagged(0x17, Buffer.from('490101000000Z')));
  const extensions = sequence(
    sequence(oid('551d13'), tagged(0x04, sequence(...(isAuthority ? [tagged(0x01, Buffer.from([0xff]))] : [])))),
    sequence(oid('551d11'), tagged(0x04, sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1]))))),
  );
  const toSign = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([serial])),
    ECDSA_SHA256,
    nameOf(issuer),
    validity,
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  return sequence(toSign, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toSign, signer)])));
};

const tagged = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const nameOf = (common: string): Buffer => sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(common)))));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
