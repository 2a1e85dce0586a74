import { groups } from '../../src/contract/api/index.ts';
import type { Group } from '../../src/contract/api/kit/operation.ts';
import { answersPast } from '../../src/contract/api/kit/past.ts';
import type { Contract } from './contract.ts';
import { createDocumentation } from './documentation.ts';
import { fileOf, homesOf, SHARED } from './files.ts';
import { moduleText, NOTE } from './module.ts';
import { namesOf, settled } from './names.ts';
import { aboutGroup, apiName, apisOf } from './operations.ts';
import { namedQueries } from './queries.ts';
import { createShapes } from './shapes.ts';
import { commentOf } from './text.ts';

/**
 * Generates the public types: an interface for each named schema and for each group of operations, documented with the comments at their
 * declarations.
 * @returns the texts by file, relative to `src/contract/types/`
 * @throws TypeError if a type or field has neither a comment nor a description
 */
export const publicTypes = async (root: string, contract: Contract): Promise<Readonly<Record<string, string>>> => {
  const shapes = createShapes(contract, createDocumentation(contract));
  const written = apisOf(contract, shapes, await namedQueries(root));
  if (shapes.undocumented.size > 0) throw new TypeError(`write a comment at the declaration of: ${[...shapes.undocumented].join(', ')}`);
  const { shapes: remaining, settle } = settled(shapes.shapes);
  const apis = written.map(({ group, text }) => ({ group, text: settle(text) }));
  const names = namesOf(remaining);
  const homes = homesOf(remaining, apis);
  const moduleOf = (file: string): string => {
    const ownShapes = [...remaining].filter(([key]) => homes.get(key) === file);
    return moduleText(file, ownShapes, apis.find(({ group }) => fileOf(group.name) === file)?.text ?? '', names, homes);
  };

  const files = [...Object.keys(groups).map(fileOf), SHARED];
  return {
    ...Object.fromEntries(files.map((file) => [`${file}.ts`, moduleOf(file)])),
    'api.ts': api(),
    'index.ts': `${NOTE}\n${[...files, 'api']
      .sort()
      .map((file) => `export type * from './${file}.ts';\n`)
      .join('')}`,
  };
};

const api = (): string => {
  const all = Object.values<Group>(groups);
  const imports = all.map(({ name }) => `import type { ${apiName(name)} } from './${fileOf(name)}.ts';\n`).sort();
  const members = all.map((group) => `${commentOf(aboutGroup(group), '  ')}  readonly ${group.name}: ${apiName(group.name)}<P>;\n`);
  const past = all.flatMap(({ name, operations }) => {
    const verbs = Object.keys(operations).filter((verb) => operations[verb] && answersPast(operations[verb]));
    const picked = verbs.map((verb) => `'${verb}'`).join(' | ');
    return verbs.length === 0 ? [] : [`  readonly ${name}: Pick<${apiName(name)}<PastOptions>, ${picked}>;\n`];
  });
  return `${NOTE}
import type { CallOptions, PastOptions } from '../call-options.ts';
${imports.join('')}
/**
 * Every operation as a function: \`controller.api.<group>.<verb>(input)\`. Input is \`{ ...path, ...query, body }\`; the output
 * is the data of the response, or a \`Page\`. Promises reject with an \`ApiError\`. \`P\` is the type of the options of a call:
 * \`CallOptions\` in process, \`RemoteCallOptions\` over HTTP.
 */
export interface Api<P = CallOptions> {
${members.join('')}}

/** The operations that read entities, as of a past state: \`controller.at(when).<group>.<verb>(input)\`. */
export interface PastApi {
${past.join('')}}
`;
};
