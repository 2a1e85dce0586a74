/** Path templates (OpenAPI 3.1, "Path Templating"): each parameter is a segment in braces, as in `/identities/{id}`. */

/** An object with the values of a template's parameters. */
export type PathParameters<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParameters<Rest>
  : unknown;

/** Splits a template: literal text at even indexes, names of parameters at odd ones. */
export const partsOf = (template: string): readonly string[] => template.split(/\{(\w+)\}/);

/** The names of the parameters from left to right. */
export const parametersOf = (template: string): readonly string[] => partsOf(template).filter((_, i) => i % 2 === 1);

/** The path with its parameters replaced by their values, which are not escaped. */
export const expand = (template: string, value: (name: string) => string): string =>
  partsOf(template)
    .map((part, i) => (i % 2 === 1 ? value(part) : part))
    .join('');
