import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';

/** A private key, and the certificate with its chain, in PEM. */
export interface TlsPair {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

/** The key pairs of a server. */
export interface TlsPairs extends TlsPair {
  /**
   * Further pairs. A client that requests a name (SNI) that the certificate does not have gets the first of these with that name. Default:
   * none.
   */
  readonly alternatives?: readonly TlsPair[];
}

/** Selects among the pairs of a server by the name that a client requests. */
export interface PairChoice {
  /** The options of the TLS server, including the selection among the pairs. */
  readonly options: TlsOptions;
  /**
   * Uses other pairs for new connections.
   * @returns the options of the new pair
   */
  renew(pairs: TlsPairs): SecureContextOptions;
}

/** @param common the options for all pairs */
export const createPairChoice = (pairs: TlsPairs, common: TlsOptions): PairChoice => {
  let contexts = contextsOf(pairs, common);
  const choose: TlsOptions['SNICallback'] = (name, callback) => callback(null, contexts.find(({ covers }) => covers(name))?.context);
  return {
    // Set only with alternatives, because the callback slows down each handshake.
    options: { ...common, ...ownPair(pairs), ...(pairs.alternatives ? { SNICallback: choose } : {}) },
    renew: (renewed) => {
      contexts = contextsOf(renewed, common);
      return { ...common, ...ownPair(renewed) };
    },
  };
};

const ownPair = ({ key, cert }: TlsPair): TlsPair => ({ key, cert });

interface NamedContext {
  covers(name: string): boolean;
  /** Undefined for the context of the server. */
  readonly context: SecureContext | undefined;
}

const contextsOf = ({ alternatives = [], ...own }: TlsPairs, common: SecureContextOptions): readonly NamedContext[] =>
  alternatives.length === 0
    ? []
    : [own, ...alternatives].map((pair, i) => ({
        covers: coveredBy(pair),
        context: i === 0 ? undefined : createSecureContext({ ...common, ...ownPair(pair) }),
      }));

const coveredBy = ({ cert }: TlsPair): NamedContext['covers'] => {
  const certificate = new X509Certificate(cert);
  return (name) => certificate.checkHost(name, { subject: 'never' }) !== undefined;
};
