import type { RemoteOperation } from '../client/remote-operation.ts';
import { groups } from '../src/contract/api/index.ts';
import type { Group, Operation } from '../src/contract/api/kit/operation.ts';
import { allSurfaces, surfaces } from '../src/contract/api/surfaces/index.ts';
import type { Surface } from '../src/contract/api/surfaces/surface.ts';
import { JSON_TYPE } from '../src/contract/wire/media-types.ts';
import { literal } from './literal.ts';
import { NOTE } from './types/module.ts';

/** Generates the table of operations for clients, without the schemas of their input. */
export const clientOperations = (): string => `${NOTE}
import type { RemoteOperation } from './remote-operation.ts';

/** Path below which each surface answers. */
export const prefixes = ${literal(Object.fromEntries(allSurfaces.map(({ name, prefix }) => [name, prefix])))} as const;

/** Every operation, by group and verb, but for those of the OpenID provider. */
export const remoteOperations: Readonly<Record<string, Readonly<Record<string, RemoteOperation>>>> = {
${Object.values<Group>(groups).filter(isRemote).map(groupText).join('')}};
`;

/** Excludes the operations of the OpenID provider, which are for browsers and relying parties and have other formats. */
const isRemote = ({ operations }: Group): boolean =>
  Object.values(operations).every(
    ({ surfaces: used }) => !used.some((surface) => surface === surfaces.oidc || surface === surfaces.oidcLogin),
  );

const groupText = ({ name, operations }: Group): string =>
  `  ${name}: {\n${Object.entries(operations)
    .map(([verb, operation]) => `    ${verb}: ${literal(remote(operation))},\n`)
    .join('')}  },\n`;

const remote = (operation: Operation): RemoteOperation => {
  const { operationId, method, path, surfaces, permission, query, headers, body, entity, answer } = operation;
  const names = surfaces.map(({ name }: Surface) => name as NonNullable<RemoteOperation['surfaces']>[number]); // all are in the list of surfaces
  return {
    operationId,
    method,
    path,
    ...(names.join() === 'management' ? {} : { surfaces: names }),
    ...(permission === 'open' ? { isOpen: true } : {}),
    ...(query ? { query: Object.keys(query.shape) } : {}),
    ...(headers ? { headers } : {}),
    ...(body ? { media: body.media ?? [JSON_TYPE] } : {}),
    ...(entity ? { hasEntity: true } : {}),
    ...(answer.is === 'page' || answer.is === 'events' ? { answer: answer.is } : {}),
    ...(answer.is === 'data' && answer.isBare ? { answer: 'bare' } : {}),
    ...('contentTypes' in answer ? { answer: 'raw', contentTypes: answer.contentTypes } : {}),
  };
};
