/**
 * What every HTTP host must do with a controller, as sentences about requests on a real socket. An adapter's test is a call of `httpSuite`;
 * what a framework does differently stands there as data, with the reason, and is held to it: a deviation that does not deviate fails.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answers } from './http/answers.ts';
import { bodies } from './http/bodies.ts';
import { clients } from './http/clients.ts';
import { type Host, type Open, opener } from './http/host.ts';
import { surfaces } from './http/surfaces.ts';
import { targets } from './http/targets.ts';

export interface HttpHost extends Host {
  readonly deviations?: readonly Deviation[];
}

export interface Deviation {
  readonly test: string;
  readonly reason: string;
}

/** Sentence to proof. Each proof opens servers of its own. */
export type Sentences = Readonly<Record<string, (open: Open) => Promise<void>>>;

export const httpSuite = (host: HttpHost): void => {
  const sentences: Sentences = { ...targets, ...bodies, ...answers, ...surfaces, ...clients };
  const { deviations = [] } = host;
  describe(`HTTP host: ${host.name}`, { concurrency: 8 }, () => {
    for (const [sentence, prove] of Object.entries(sentences)) {
      const reason = deviations.find((deviation) => deviation.test === sentence)?.reason;
      test(reason === undefined ? sentence : `not so: ${sentence} (${reason})`, async (t) => {
        const proof = prove(opener(host, t));
        if (reason === undefined) await proof;
        else await assert.rejects(proof);
      });
    }

    test('every deviation is from a sentence of the suite', () => {
      assert.deepEqual(
        deviations.filter((deviation) => !(deviation.test in sentences)),
        [],
      );
    });
  });
};
