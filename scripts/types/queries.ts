import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { capitalised } from './text.ts';

/** The names of the exported schemas of query parameters: the constant `listQuery` becomes `ListQuery`. */
export const namedQueries = async (root: string): Promise<ReadonlyMap<z.core.$ZodType, string>> => {
  const folder = join(root, 'src/contract/api');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const modules: readonly object[] = await Promise.all(files.map((file) => import(join(folder, file))));
  return new Map(
    modules.flatMap((module) =>
      Object.entries(module).flatMap(([name, value]) =>
        value instanceof z.ZodObject && name.endsWith('Query') ? [[value, capitalised(name)] as const] : [],
      ),
    ),
  );
};
