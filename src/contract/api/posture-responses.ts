import * as z from 'zod';
import { data, group, list, operation, string, textUpTo } from './kit/index.ts';
import { hexDigits } from './posture-checks/hex.ts';
import { boolean } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** Maximum number of responses in one request. */
const MAX_RESPONSES = 1000;

/** By convention the id of the posture check that is answered. It is not verified. */
const id = textUpTo(256);
const word = textUpTo(256);
const hex = word.transform(hexDigits);

/** Long enough for the longest hardware addresses in use, which have twenty bytes, with separators. */
const macAddress = textUpTo(64).transform(hexDigits);

/** The hardware addresses of the endpoint. */
const macResponse = z
  .object({
    /** The type of the response. */
    typeId: z.literal('MAC'),
    /** By convention the id of the posture check that is answered. It is not verified. */
    id,
    /** MAC addresses; only their hex digits are compared. */
    macAddresses: list(macAddress, 1000).transform((addresses) => [...new Set(addresses)]),
  })
  .meta({ id: 'PostureResponseMac' });
/** The Windows domain of the endpoint. */
const domainResponse = z
  .object({
    /** The type of the response. */
    typeId: z.literal('DOMAIN'),
    /** By convention the id of the posture check that is answered. It is not verified. */
    id,
    /** Name of the domain. */
    domain: textUpTo(1000),
  })
  .meta({ id: 'PostureResponseDomain' });
/** The operating system of the endpoint. */
const osResponse = z
  .object({
    /** The type of the response. */
    typeId: z.literal('OS'),
    /** By convention the id of the posture check that is answered. It is not verified. */
    id,
    /** Name of the system, e.g. `Windows`. */
    type: word,
    /** Version of the system. */
    version: word,
    /** Build of the system. */
    build: word.nullish(),
  })
  .meta({ id: 'PostureResponseOperatingSystem' });
/** A program of the endpoint. */
const processResponse = z
  .object({
    /** The type of the response. */
    typeId: z.literal('PROCESS'),
    /** By convention the id of the posture check that is answered. It is not verified. */
    id,
    /** Path of the program. */
    path: textUpTo(4096).nullish(),
    /** True if the program is running. */
    isRunning: boolean.nullish(),
    /** SHA-256 of the binary in hex. */
    hash: hex.nullish(),
    /** SHA-1 of the certificates that signed the binary, in hex. */
    signerFingerprints: list(hex, 32).nullish(),
  })
  .meta({ id: 'PostureResponseProcess' });
/** An event on the endpoint. */
const endpointState = z
  .object({
    /** The type of the response. */
    typeId: z.literal('ENDPOINT_STATE'),
    /** By convention the id of the posture check that is answered. It is not verified. */
    id,
    /** True if the endpoint woke up. */
    woken: boolean.nullish(),
    /** True if the endpoint was unlocked. */
    unlocked: boolean.nullish(),
  })
  .meta({ id: 'PostureResponseEndpointState' });

/** A client's report about its endpoint. `PROCESS` answers both checks of one process and checks of several. */
const postureResponse = z
  .discriminatedUnion('typeId', [macResponse, domainResponse, osResponse, processResponse, endpointState])
  .meta({ id: 'PostureResponse' });
export type PostureResponse = z.infer<typeof postureResponse>;

/** A service that will soon require an MFA code. */
const affectedService = z
  .object({
    /** Id of the service. */
    id: string,
    /** Name of the service. */
    name: string,
    /** Type of the posture check that requires the code. */
    postureQueryType: string,
    timeout: z.int().meta({ description: 'Seconds for which a code is valid; -1 if it does not expire.' }),
    timeoutRemaining: z.int().meta({ description: 'Seconds until the check fails unless a code is submitted.' }),
  })
  .meta({ id: 'PostureResponseService' });

/** The services whose posture queries are affected. */
const result = z
  .object({
    /** The services that will soon require an MFA code. */
    services: z.array(affectedService),
  })
  .meta({ id: 'PostureResponseResult' });

const answer = data(result);

const byClients = { permission: 'session', surfaces: [surfaces.client], status: 201, answer } as const;

export const postureResponses = group('postureResponses', 'Posture responses', {
  create: operation('POST', '/posture-response', {
    operationId: 'createPostureResponse',
    summary: 'Report a fact about the endpoint; the answer lists the services that will soon require an MFA code',
    body: { schema: postureResponse, name: 'postureResponse' },
    ...byClients,
  }),
  createBulk: operation('POST', '/posture-response-bulk', {
    operationId: 'createPostureResponseBulk',
    summary: 'Report several facts about the endpoint, all or none of which are stored',
    body: { schema: list(postureResponse, MAX_RESPONSES), name: 'postureResponse' },
    ...byClients,
  }),
});
