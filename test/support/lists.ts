import type { Answer, App, RequestOptions } from './app.ts';

/** GET of a list with these query parameters; a list of values repeats the parameter. */
export const list = (
  app: App,
  path: string,
  query: Readonly<Record<string, string | number | readonly string[]>>,
  options?: RequestOptions,
): Promise<Answer> => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of typeof value === 'object' ? value : [value]) parameters.append(name, String(each));
  return app.request('GET', `${path}?${parameters}`, options);
};

/** The names of what a list answers. */
export const namesIn = ({ body }: Answer): readonly string[] => body.data.map(({ name }: { name: string }) => name);
