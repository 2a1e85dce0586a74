import * as z from 'zod';
import { list, textUpTo } from './kit/bounded.ts';
import { data, group, operation } from './kit/operation.ts';
import { hexDigits } from './posture-checks/hex.ts';
import { flag, text } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Answers in one request, at most. */
const MOST_AT_ONCE = 1000;

/** By custom the id of the posture check that is answered. It is not verified. */
const id = textUpTo(256);
const word = textUpTo(256);
const hex = word.transform(hexDigits);

/** Twenty bytes, the longest hardware addresses that are in use, with separators. */
const macAddress = textUpTo(64).transform(hexDigits);

const macResponse = z.object({
  typeId: z.literal('MAC'),
  id,
  macAddresses: list(macAddress, 1000).transform((addresses) => [...new Set(addresses)]),
});
const domainResponse = z.object({ typeId: z.literal('DOMAIN'), id, domain: textUpTo(1000) });
const osResponse = z.object({ typeId: z.literal('OS'), id, type: word, version: word, build: word.nullish() });
const processResponse = z.object({
  typeId: z.literal('PROCESS'),
  id,
  path: textUpTo(4096).nullish(),
  isRunning: flag.nullish(),
  hash: hex.nullish(),
  signerFingerprints: list(hex, 32).nullish(),
});
const endpointState = z.object({ typeId: z.literal('ENDPOINT_STATE'), id, woken: flag.nullish(), unlocked: flag.nullish() });

/** What a client tells of its endpoint. PROCESS answers checks of one process and of several. */
export const postureResponse = z
  .discriminatedUnion('typeId', [
    macResponse.meta({ id: 'PostureResponseMac' }),
    domainResponse.meta({ id: 'PostureResponseDomain' }),
    osResponse.meta({ id: 'PostureResponseOperatingSystem' }),
    processResponse.meta({ id: 'PostureResponseProcess' }),
    endpointState.meta({ id: 'PostureResponseEndpointState' }),
  ])
  .meta({ id: 'PostureResponse' });
export type PostureResponse = z.infer<typeof postureResponse>;

const affectedService = z
  .object({
    id: text,
    name: text,
    postureQueryType: text,
    timeout: z.int().meta({ description: 'Seconds, -1 for none.' }),
    timeoutRemaining: z.int().meta({ description: 'Seconds until the check fails unless a code comes.' }),
  })
  .meta({ id: 'PostureResponseService' });

const answer = data(z.object({ services: z.array(affectedService) }).meta({ id: 'PostureResponseResult' }));

const byClients = { permission: 'session', surfaces: [surfaces.client], status: 201, answer } as const;

export const postureResponses = group('postureResponses', 'Posture responses', {
  create: operation('POST', '/posture-response', {
    operationId: 'createPostureResponse',
    summary: 'Tell one fact about the endpoint; the answer names the services that will ask for a code soon',
    body: { schema: postureResponse, name: 'postureResponse' },
    ...byClients,
  }),
  createBulk: operation('POST', '/posture-response-bulk', {
    operationId: 'createPostureResponseBulk',
    summary: 'Tell several facts about the endpoint, all or none of which are taken',
    body: { schema: list(postureResponse, MOST_AT_ONCE), name: 'postureResponse' },
    ...byClients,
  }),
});
