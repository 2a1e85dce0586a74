import { type Outbound, OutboundRefused } from '../src/adapter-kit.ts';
import type { Work } from './work.ts';

/** Answers the outbound requests of a test network in memory. */
export interface TestOutbound extends Outbound {
  /**
   * Serves JSON at an address.
   * @param answer called for each request; returns undefined if the server is unreachable
   */
  serve(url: string, answer: () => unknown): void;
}

/**
 * Creates the outbound requests of a test network.
 * @param others handles requests to other addresses. Default: they are rejected
 */
export const testOutbound = ({ track }: Work, others?: Outbound): TestOutbound => {
  const served = new Map<string, () => unknown>();
  const answerWith = async (url: string, answer: () => unknown) => {
    const content = answer();
    if (content === undefined) throw new Error(`${url} cannot be reached`);
    return { status: 200, body: new TextEncoder().encode(JSON.stringify(content)) };
  };
  return {
    serve: (url, answer) => void served.set(url, answer),
    request: (url, options) => {
      const answer = served.get(url);
      if (answer) return track(answerWith(url, answer));
      if (others) return track(others.request(url, options));
      return Promise.reject(new OutboundRefused(`a test network sends requests only if its platform has \`outbound\`: ${url}`));
    },
  };
};
