import { writeAtomically } from '../files.ts';
import { defineCommand } from './command.ts';
import { documentText } from './state-file.ts';
import { ABOUT_SOURCE, type StateOperations, type StateSections, source, withState } from './state-source.ts';

export const exportCommand = defineCommand({
  summary: 'print the configuration of a network as a document, without ids or secrets, in a stable order',
  options: {
    select: { value: 'SECTION,...', about: 'only these sections, such as services,servicePolicies', list: 'commas' },
    owner: { value: 'NAME', about: 'only entities with this owner label' },
    format: { value: 'FORMAT', about: 'yaml, json, or lines: an entity per line, for a network of any size', default: 'yaml' },
    out: { value: 'FILE', about: 'write the document to this file instead of printing it' },
    ...source,
  },
  notes: ABOUT_SOURCE,
  run: async (given, environment) => {
    const [select, owner, out] = [given.get('select'), given.get('owner'), given.get('out')];
    const input = {
      // The controller refuses unknown sections, and lists the known ones.
      ...(select === undefined ? {} : { select: select.split(',') as unknown as StateSections }),
      ...(owner === undefined ? {} : { owner }),
    };
    const format = given.get('format') ?? 'yaml';
    const text = await withState(given, environment, async (state) =>
      format === 'lines' ? textOf(await state.exportLines(input)) : documentText(await state.export(input), format),
    );
    if (out === undefined) return text;
    await writeAtomically(out, `${text}\n`, 0o600);
    return '';
  },
});

/** The lines of an exported document, without the last line break. */
const textOf = async ({ body = '' }: Awaited<ReturnType<StateOperations['exportLines']>>): Promise<string> => {
  const parts: string[] = [];
  for await (const part of typeof body === 'string' ? [body] : (body as AsyncIterable<string>)) parts.push(part); // lines are text
  return parts.join('').trimEnd();
};
