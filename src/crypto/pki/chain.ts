import { type Certificate, Eku, KeyUsage, MAX_CHAIN } from './certificate.ts';
import { keyWeakness, signatureWeakness } from './strength.ts';

/** Why a certificate is not trusted. */
export type ChainFault =
  /** No path of permitted issuers leads to an anchor. */
  | 'noChain'
  /** A path leads to an anchor, but a certificate on it is expired or not yet valid. */
  | 'notValidNow'
  /** The certificate, or an authority above it, does not allow the usage. */
  | 'wrongUsage'
  /** A key of the certificate or of its issuers is too weak, or one of their signatures uses an algorithm that can be forged. */
  | 'weak'
  | 'tooManyCertificates';

export interface ChainRules {
  /** Trust anchors. Each must be an authority, but need not be self-signed. */
  readonly anchors: readonly Certificate[];
  /** The other certificates that the peer sent. Not trusted. */
  readonly intermediates: readonly Certificate[];
  /** The time of the validation, in ms since 1970. */
  readonly now: number;
  /** The certificates whose validity dates are ignored: only the leaf, or all. Default: none. */
  readonly ignoreValidity?: 'leaf' | 'all';
  /** OID of an extended key usage that the certificate and its issuers must allow, unless they lack the extension. */
  readonly usage?: string;
}

export type ChainAnswer =
  | { readonly chain: readonly Certificate[]; readonly fault?: undefined }
  | { readonly chain?: undefined; readonly fault: ChainFault };

/** Maximum number of signatures verified per call. Only malicious chains reach it, because legitimate ones are short. */
const MAX_SIGNATURES = 64;

/**
 * Validates that a certificate chains to an anchor through signatures of authorities that may sign (RFC 5280, section 6, without policies;
 * a certificate with name constraints, or with another unsupported critical extension, is rejected). It verifies at most one signature for
 * each pair of certificates, and at most 64 in total, which bounds the cost of cycles and of many certificates with the same name.
 * @returns the chain, from the certificate to the anchor
 */
export const validateChain = async (leaf: Certificate, rules: ChainRules): Promise<ChainAnswer> => {
  if (rules.intermediates.length > MAX_CHAIN) return { fault: 'tooManyCertificates' };
  if (leaf.unknownCritical.length > 0) return { fault: 'noChain' };
  if (!allowsUsage(leaf, rules)) return { fault: 'wrongUsage' };
  if (keyWeakness(leaf.parsed)) return { fault: 'weak' };
  const search = new ChainSearch(rules);
  const chain = await search.extend([leaf]);
  return chain ? { chain } : { fault: search.fault };
};

class ChainSearch {
  /** The most informative fault so far: that of the path that came closest to success. */
  fault: ChainFault = 'noChain';
  readonly #rules: ChainRules;
  #signatures = 0;

  constructor(rules: ChainRules) {
    this.#rules = rules;
  }

  /** Extends a path upward from its last certificate, trying anchors first. */
  async extend(path: readonly Certificate[]): Promise<readonly Certificate[] | undefined> {
    const child = path.at(-1);
    if (!child || path.length > MAX_CHAIN) return undefined;
    for (const anchor of findIssuers(child, this.#rules.anchors)) {
      if (!(await this.#mayIssue(anchor, path))) continue;
      const chain = [...path, anchor];
      const fault = this.#faultOf(chain);
      if (!fault) return chain;
      this.fault = fault;
    }
    for (const issuer of findIssuers(child, this.#rules.intermediates)) {
      // An authority may occur only once in a chain, even if it has several certificates with the same name and key.
      if (path.some((other) => isSameAuthority(other, issuer)) || !(await this.#mayIssue(issuer, path))) continue;
      const chain = await this.extend([...path, issuer]);
      if (chain) return chain;
    }
    return undefined;
  }

  async #mayIssue(issuer: Certificate, path: readonly Certificate[]): Promise<boolean> {
    const child = path.at(-1);
    if (!child || !issuer.isCa || issuer.unknownCritical.length > 0) return false;
    if (issuer.keyUsage !== undefined && !(issuer.keyUsage & KeyUsage.keyCertSign)) return false;
    if (issuer.pathLength !== undefined && issuer.pathLength < path.length - 1) return false;
    // The anchor's own signature is irrelevant, because the anchor is trusted without it.
    if (!signatureWeakness(child.parsed) && !keyWeakness(issuer.parsed)) return this.#isSigned(child, issuer);
    if (this.fault === 'noChain') this.fault = 'weak';
    return false;
  }

  #faultOf(chain: readonly Certificate[]): ChainFault | undefined {
    const { now, ignoreValidity } = this.#rules;
    const dated = chain.slice(ignoreValidity === 'leaf' ? 1 : 0);
    if (ignoreValidity !== 'all' && dated.some(({ notBefore, notAfter }) => now < notBefore || now > notAfter)) return 'notValidNow';
    // The anchor is exempt: the host decides for which usages it is trusted.
    return chain.slice(0, -1).every((certificate) => allowsUsage(certificate, this.#rules)) ? undefined : 'wrongUsage';
  }

  async #isSigned(child: Certificate, issuer: Certificate): Promise<boolean> {
    const cached = signatureChecks.get(child)?.get(issuer);
    if (cached !== undefined) return cached;
    if (this.#signatures >= MAX_SIGNATURES) return false;
    this.#signatures++;
    const isSigned = await isSignedBy(child, issuer);
    const checksOfChild = signatureChecks.get(child) ?? new WeakMap();
    signatureChecks.set(child, checksOfChild.set(issuer, isSigned));
    return isSigned;
  }
}

/** Results of signature checks, by certificate and issuer. They never change, so they are cached as long as both exist. */
const signatureChecks = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

/** True if the issuer's key signed the other certificate. Does not check names, dates or permissions. */
const isSignedBy = async (child: Certificate, issuer: Certificate): Promise<boolean> => {
  try {
    return await child.parsed.verify({ publicKey: issuer.parsed.publicKey, signatureOnly: true });
  } catch {
    return false; // the algorithm is unknown, or does not match the key
  }
};

/** True if the extended key usage is listed, or the extension is absent. */
const allowsUsage = ({ extendedKeyUsage }: Certificate, { usage }: Pick<ChainRules, 'usage'>): boolean =>
  usage === undefined || extendedKeyUsage === undefined || extendedKeyUsage.includes(usage) || extendedKeyUsage.includes(Eku.any);

/** True if the key usages of a certificate allow TLS client authentication, or are absent (RFC 5280, sections 4.2.1.3 and 4.2.1.12). */
export const isForClients = (certificate: Certificate): boolean =>
  allowsUsage(certificate, { usage: Eku.clientAuth }) &&
  (certificate.keyUsage === undefined || (certificate.keyUsage & (KeyUsage.digitalSignature | KeyUsage.keyAgreement)) !== 0);

/** The certificates with the issuer's name; those that match the child's authority key identifier come first. */
const findIssuers = (child: Certificate, among: readonly Certificate[]): readonly Certificate[] => {
  const named = among.filter(({ subjectKey }) => subjectKey === child.issuerKey);
  const isExact = ({ subjectKeyId }: Certificate) => subjectKeyId !== undefined && subjectKeyId === child.authorityKeyId;
  return named.length < 2 ? named : [...named.filter(isExact), ...named.filter((each) => !isExact(each))];
};

const isSameAuthority = (a: Certificate, b: Certificate): boolean =>
  a.fingerprint === b.fingerprint || (a.subjectKey === b.subjectKey && a.parsed.publicKey.equal(b.parsed.publicKey));
