import { type Outbound, OutboundRefused } from '../src/adapter-kit.ts';
import type { Work } from './work.ts';

/** Answers the outbound requests of a test network in memory. */
export interface TestOutbound extends Outbound {
  /** Serves JSON at an address. @param answer called for each request; returns undefined if the server is unreachable */
  serve(url: string, answer: () => unknown): void;
}

/** @param others handles requests to other addresses, which are rejected by default */
export const testOutbound = ({ track }: Work, others?: Outbound): TestOutbound => {
  const served = new Map<string, () => unknown>();
  const answered = async (url: string, answer: () => unknown) => {
    const content = answer();
    if (content === undefined) throw new Error(`${url} is out of reach`);
    return { status: 200, body: new TextEncoder().encode(JSON.stringify(content)) };
  };
  return {
    serve: (url, answer) => void served.set(url, answer),
    request: (url, options) => {
      const answer = served.get(url);
      if (answer) return track(answered(url, answer));
      if (others) return track(others.request(url, options));
      return Promise.reject(new OutboundRefused(`a network of tests makes no requests, unless its platform has \`outbound\`: ${url}`));
    },
  };
};
