import type { Operation } from '../../src/contract/api/kit/operation.ts';
import type { ApiText } from './operations.ts';
import { type Form, idOf } from './schemas.ts';
import { REFERENCE, referenceTo, type Shape } from './shapes.ts';

export const SHARED = 'shared';

export const fileOf = (group: string): string => group.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * The file of each shape: that of the group that reads or writes it directly, or else the only file that refers to it, or else the shared
 * file.
 */
export const homesOf = (shapes: ReadonlyMap<string, Shape>, apis: readonly ApiText[]): ReadonlyMap<string, string> => {
  const homes = new Map<string, string>();
  for (const { group } of apis)
    for (const verb of ['get', 'list', 'create', 'replace', 'patch'])
      for (const key of directIn(group.operations[verb])) if (shapes.has(key) && !homes.has(key)) homes.set(key, fileOf(group.name));
  const texts = [
    ...[...shapes].map(([key, { text }]) => ({ key, file: '', text })),
    ...apis.map(({ group, text }) => ({ key: '', file: fileOf(group.name), text })),
  ];
  const homeOf = (key: string): string => {
    const known = homes.get(key);
    if (known !== undefined) return known;
    const users = new Set(
      texts.filter(({ key: user, text }) => user !== key && text.includes(key)).map(({ key: user, file }) => file || homeOf(user)),
    );
    const [only = SHARED] = users;
    const home = users.size === 1 ? only : SHARED;
    homes.set(key, home);
    return home;
  };
  for (const key of shapes.keys()) homeOf(key);
  return homes;
};

/** The input and output types of an operation. */
const directIn = (operation: Operation | undefined): readonly string[] => {
  if (!operation) return [];
  const { answer, body } = operation;
  const output = answer.is === 'page' ? answer.item : answer.is === 'data' ? answer.schema : undefined;
  const ids = [output && ['output', idOf(output, 'output')], body && ['input', idOf(body.schema, 'input')]] as const;
  return ids.flatMap((each) => (each?.[1] === undefined ? [] : referenceTo(each[0] as Form, each[1])));
};

export const referencesIn = (text: string): ReadonlySet<string> => new Set([...text.matchAll(REFERENCE)].map(([key]) => key));
