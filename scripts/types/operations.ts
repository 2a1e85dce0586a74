import type ts from 'typescript';
import type * as z from 'zod';
import { changeRecord, followed } from '../../src/contract/api/change-log.ts';
import { groups } from '../../src/contract/api/index.ts';
import type { Group, Operation, Permission } from '../../src/contract/api/kit/operation.ts';
import { parametersOf } from '../../src/contract/api/kit/path-template.ts';
import { allSurfaces } from '../../src/contract/api/surfaces/index.ts';
import type { ErrorCode } from '../../src/contract/errors/index.ts';
import { type DescribedOperation, describeOperations } from '../../src/http/describe-operations.ts';
import type { Contract } from './contract.ts';
import { examples } from './examples.ts';
import { schemasOfKinds } from './kinds.ts';
import { referenceTo, type Shapes } from './shapes.ts';
import { capitalised, commentOf, sentence } from './text.ts';

/** Handwritten types of the responses for which operations declare no schema. */
const HANDWRITTEN: Readonly<Partial<Record<Operation['answer']['is'], string>>> = { raw: 'RawAnswer', response: 'HttpOutput' };

export const apiName = (group: string): string => `${capitalised(group)}Api`;

/** The type of a group of operations. */
export interface ApiText {
  readonly group: Group;
  readonly text: string;
}

export const apisOf = (contract: Contract, shapes: Shapes, queries: ReadonlyMap<z.core.$ZodType, string>): readonly ApiText[] => {
  const described = new Map(
    describeOperations(Object.values(groups), allSurfaces.toReversed()).operations.map((each) => [each.operation, each]),
  );
  return Object.values<Group>(groups).map((group) => {
    const verbs = Object.entries(group.operations).map(([verb, operation]) => {
      const { input, output } = contract.typesOf(group.name, verb);
      const inputText = inputOf(operation, input, contract, shapes, queries);
      const outputText = HANDWRITTEN[operation.answer.is] ?? outputOf(operation, output, contract, shapes);
      const optional = contract.checker.getPropertiesOfType(input).every((property) => property.flags & OPTIONAL);
      const about = paragraphsOf(`${group.name}.${verb}`, operation, described.get(operation));
      const optionalInput = `input${optional ? '?' : ''}`;
      const type =
        operation.answer.is === 'events'
          ? `(${optionalInput}: ${inputText} & { readonly signal?: AbortSignal }) => AsyncIterable<${outputText}>`
          : `(${optionalInput}: ${inputText}, options?: P) => Promise<${outputText}>`;
      return `${commentOf(about, '  ')}  readonly ${verb}: ${isAboutChanges(operation) ? typeParameters(operation) : ''}${type};\n`;
    });
    const text = `${commentOf(aboutGroup(group), '')}export interface ${apiName(group.name)}<P = CallOptions> {\n${verbs.join('')}}\n`;
    return { group, text };
  });
};

const kinds = schemasOfKinds();

/** Describes a group and its entities. */
export const aboutGroup = ({ about, operations }: Group): readonly string[] => {
  const answer = (operations['get'] ?? operations['list'])?.answer;
  const schema = answer?.is === 'data' ? answer.schema : answer?.is === 'page' ? answer.item : undefined;
  return [sentence(about), (schema && kinds.get(schema)?.kind.about) ?? ''];
};

/** True for operations on the change log. Their output is narrowed by the requested kinds, which no schema can express. */
const isAboutChanges = ({ answer }: Operation): boolean => 'item' in answer && (answer.item === changeRecord || answer.item === followed);
/** With a snapshot, a follower receives states, too. */
const typeParameters = ({ answer }: Operation): string =>
  `<K extends ChangedKind = ChangedKind${answer.is === 'events' ? ', S extends boolean = false' : ''}>`;

/** `ts.SymbolFlags.Optional`. */
const OPTIONAL: ts.SymbolFlags.Optional = 16777216;

/** The type of the input: path parameters, headers and body inline, and the query by its name. */
const inputOf = (
  operation: Operation,
  type: ts.Type,
  contract: Contract,
  shapes: Shapes,
  queries: ReadonlyMap<z.core.$ZodType, string>,
): string => {
  const { path, body, query, operationId } = operation;
  // The headers of a stream are set by the transport.
  const headers = operation.answer.is === 'events' ? {} : (operation.headers ?? {});
  const memberOf = (name: string, schema?: z.ZodType): string => {
    const property = type.getProperty(name);
    if (!property) throw new TypeError(`no ${name} in the input of ${operationId}`);
    const text = shapes.textOf(contract.checker.getTypeOfSymbol(property), schema, 'input');
    return property.flags & OPTIONAL ? `readonly ${name}?: ${text.replace(/ \| undefined$/, '')}` : `readonly ${name}: ${text}`;
  };
  const parameters = parametersOf(path).map((name) => memberOf(name));
  const members = [...parameters, ...Object.keys(headers).map((name) => memberOf(name)), ...(body ? [memberOf('body', body.schema)] : [])];
  const parts = members.length > 0 ? [`{ ${members.join('; ')} }`] : [];
  if (!query) return parts[0] ?? 'Readonly<Record<string, never>>';
  const id = queries.get(query) ?? `${capitalised(operationId)}Query`;
  if (!shapes.shapes.has(referenceTo('input', id)))
    shapes.define({
      id,
      form: 'input',
      is: 'interface',
      about: [contract.schemaComment(id) || `Query parameters of \`${operationId}\`.`],
      text: `{\n${shapes.membersOf(type, query)}}`,
    });
  if (isAboutChanges(operation) && operation.answer.is === 'events')
    parts.push(`Omit<${referenceTo('input', id)}, 'kinds' | 'snapshot'> & { readonly kinds?: readonly K[]; readonly snapshot?: S }`);
  else if (isAboutChanges(operation)) parts.push(`Omit<${referenceTo('input', id)}, 'kinds'> & { readonly kinds?: readonly K[] }`);
  else parts.push(referenceTo('input', id));
  return parts.join(' & ');
};

const outputOf = (operation: Operation, type: ts.Type, { checker }: Contract, shapes: Shapes): string => {
  const { answer } = operation;
  if (isAboutChanges(operation))
    return answer.is === 'page' ? 'Page<Change<K>>' : 'Change<K> | (S extends true ? EntityState<K> | StateEnd : never)';
  if (answer.is === 'page') {
    const data = checker.getTypeOfSymbol(type.getProperty('data') as ts.Symbol); // every page has this property
    const [item] = checker.getTypeArguments(data as ts.TypeReference); // every array type has an argument
    return `Page<${shapes.textOf(item as ts.Type, answer.item, 'output')}>`;
  }
  if (answer.is === 'events') {
    const [event] = checker.getTypeArguments(type as ts.TypeReference); // an iterable has an argument
    const item = checker.getTypeOfSymbol((event as ts.Type).getProperty('data') as ts.Symbol); // every event has this property
    return shapes.textOf(checker.getNonNullableType(item), answer.item, 'output');
  }
  return shapes.textOf(type, 'schema' in answer ? answer.schema : undefined, 'output');
};

const paragraphsOf = (name: string, operation: Operation, described: DescribedOperation | undefined): readonly string[] => {
  const { summary, method, path, permission, surfaces } = operation;
  const names = surfaces.map(({ name }) => name).join(' and ');
  const example = examples[name];
  return [
    sentence(summary),
    `\`${method} ${path}\` of the ${names} ${surfaces.length > 1 ? 'APIs' : 'API'}. ${requirementOf(permission)}.`,
    errorsOf(operation, described),
    ...(example ? [`@example ${example}`] : []),
  ];
};

const requirementOf = (permission: Permission): string => {
  if (permission === 'open') return 'Requires no session';
  if (permission === 'session') return 'Requires a session';
  if (permission === 'partial') return 'Requires a session, even if its second factor is still missing';
  return `For administrators, or sessions with the permission \`${permission}\``;
};

/** The errors of every call over HTTP or of every change, which are not documented for each operation. */
const GENERAL: ReadonlySet<number | ErrorCode> = new Set([406, 408, 413, 415, 429, 503, 'COULD_NOT_PARSE_BODY', 'CONFLICT'] as const);

const errorsOf = ({ errors = [] }: Operation, described: DescribedOperation | undefined): string => {
  const all = [...(described?.refusals ?? [])].flatMap(([status, codes]) => codes.map((code) => ({ status, code })));
  const shown = all.filter(({ status, code }) => errors.includes(code) || (!GENERAL.has(status) && !GENERAL.has(code)));
  return shown.length === 0 ? '' : `@throws ApiError ${shown.map(({ status, code }) => `\`${code}\` (${status})`).join(', ')}`;
};
