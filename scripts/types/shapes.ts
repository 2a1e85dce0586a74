import ts from 'typescript';
import type * as z from 'zod';
import { propertyName } from '../literal.ts';
import type { Contract } from './contract.ts';
import { elementOf, type Form, idOf, namesIn, optionsOf, propertyOf, valuesOf } from './schemas.ts';
import { commentOf, sentence } from './text.ts';

type Schema = z.core.$ZodType;

/** A type with a name of its own. Names in texts are references (`referenceTo`) until all are known. */
export interface Shape {
  readonly id: string;
  readonly form: Form;
  readonly is: 'interface' | 'type';
  readonly about: readonly string[];
  readonly text: string;
}

export interface Shapes {
  /** The type as TypeScript. What has a name in the schema becomes a shape, and its name stands in the text. */
  textOf(type: ts.Type, schema: Schema | undefined, form: Form): string;
  /** The members of an object that are in its schema, each with its sentence. */
  membersOf(type: ts.Type, schema: z.ZodObject): string;
  /** Gives a text a name. */
  define(shape: Shape): string;
  readonly shapes: ReadonlyMap<string, Shape>;
  /** Types and fields of which nothing is said. */
  readonly undocumented: ReadonlySet<string>;
}

/** Stands in a text for the name of a shape. */
export const referenceTo = (form: Form, id: string): string => `<<${form}:${id}>>`;
export const REFERENCE: RegExp = /<<(input|output):(\w+)>>/g;

const { Undefined, Null, StringLike, NumberLike, BooleanLike, Literal, Unknown, Never } = ts.TypeFlags;

/** @param documented what is said of a schema, and of its properties, beside what the declarations infer */
export const createShapes = (contract: Contract, documented: Documentation): Shapes => {
  const { checker } = contract;
  const shapes = new Map<string, Shape>();
  const undocumented = new Set<string>();

  const textOf = (type: ts.Type, schema: Schema | undefined, form: Form): string => {
    if (type.flags & (Unknown | Never)) return checker.typeToString(type);
    const parts = (type.isUnion() ? type.types : [type]).filter(({ flags }) => !(flags & (Undefined | Null)));
    const texts = parts.length === 0 ? [] : [namedTextOf(checker.getNonNullableType(type), parts, schema, form)];
    const has = (flag: ts.TypeFlags): boolean => (type.isUnion() ? type.types : [type]).some(({ flags }) => flags & flag);
    return [...texts, ...(has(Null) ? ['null'] : []), ...(has(Undefined) ? ['undefined'] : [])].join(' | ');
  };

  const namedTextOf = (type: ts.Type, parts: readonly ts.Type[], schema: Schema | undefined, form: Form): string => {
    const id = idOf(schema, form);
    if (
      id === undefined ||
      parts.every((part) => checker.isArrayType(part) || part.flags & (StringLike | NumberLike | BooleanLike) & ~Literal)
    )
      return structureOf(type, parts, schema, form, '');
    const key = referenceTo(form, id);
    const known = shapes.get(key);
    const isObject = parts.length === 1 && checker.getIndexInfosOfType(type).length === 0 && !(type.flags & Literal);
    // Taken before what is in it, for it may hold itself.
    const about = documented.shape(schema, id, form);
    if (about.every((text) => text === '')) undocumented.add(id);
    if (!known) shapes.set(key, { id, form, is: isObject ? 'interface' : 'type', about, text: '' });
    const text = structureOf(type, parts, schema, form, '');
    if (known && withoutComments(known.text) !== withoutComments(text))
      throw new TypeError(`two schemas are called ${id}:\n${known.text}\n${text}`);
    // The same type may be reached in two ways, of which one has lost its comments.
    if (!known || text.length > known.text.length) shapes.set(key, { ...(shapes.get(key) as Shape), text }); // set above
    return key;
  };

  const structureOf = (type: ts.Type, parts: readonly ts.Type[], schema: Schema | undefined, form: Form, indent: string): string => {
    if (parts.every(({ flags }) => flags & Literal)) return literals(parts, schema, form);
    if (parts.length > 1) return unionOf(parts, schema, form);
    if (type.flags & (StringLike | NumberLike | BooleanLike)) return checker.typeToString(type);
    if (checker.isArrayType(type)) {
      const element = textOf(checker.getTypeArguments(type as ts.TypeReference)[0] as ts.Type, elementOf(schema, form), form); // an array has one
      return `readonly ${/[ |]/.test(element) && !element.startsWith('{') ? `(${element})` : element}[]`;
    }
    const [index] = checker.getIndexInfosOfType(type);
    if (index) return `Readonly<Record<string, ${textOf(index.type, elementOf(schema, form), form)}>>`;
    if (type.symbol.name === 'Uint8Array') return 'Uint8Array';
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)))
      throw new TypeError(`no way to write ${checker.typeToString(type)}`);
    const members = membersOf(type, schema, form, `${indent}  `);
    return `{\n${members}${indent}}`;
  };

  const literals = (parts: readonly ts.Type[], schema: Schema | undefined, form: Form): string => {
    const texts = parts.map((part) => checker.typeToString(part).replaceAll('"', "'"));
    if (texts.includes('true') && texts.includes('false'))
      return ['boolean', ...texts.filter((text) => !/^(true|false)$/.test(text))].join(' | ');
    const order = valuesOf(schema, form).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
    return texts.sort((a, b) => order.indexOf(a) - order.indexOf(b) || (a < b ? -1 : 1)).join(' | ');
  };

  const unionOf = (parts: readonly ts.Type[], schema: Schema | undefined, form: Form): string => {
    const options = [...optionsOf(schema, form)];
    const simple = parts.filter((part) => !(part.flags & ts.TypeFlags.Object));
    const objects = parts.filter((part) => part.flags & ts.TypeFlags.Object);
    const members = objects.map((part) => ({ part, index: options.findIndex((each) => isOf(part, each, form)) }));
    const texts = members
      .toSorted((a, b) => a.index - b.index)
      .map(({ part, index }) =>
        // Members beside texts come from the schema itself.
        options.length > 0 ? textOf(part, options[index], form) : structureOf(part, [part], schema, form, ''),
      );
    const primitives = ['string', 'number', 'boolean'].filter((name) =>
      simple.some((part) => checker.typeToString(checker.getBaseTypeOfLiteralType(part)) === name),
    );
    return [...texts, ...primitives].join(' | ');
  };

  /** True if a member of a union is that of a schema: literals and properties are the same. */
  const isOf = (part: ts.Type, option: Schema, form: Form): boolean =>
    checker.getPropertiesOfType(part).every((property) => {
      const schema = propertyOf(option, form, property.name);
      if (!schema) return false;
      const [value] = valuesOf(schema, form);
      const type = checker.getTypeOfSymbol(property);
      return valuesOf(schema, form).length !== 1 || !type.isStringLiteral() || type.value === value;
    });

  const membersOf = (
    type: ts.Type,
    schema: Schema | undefined,
    form: Form,
    indent: string,
    isMember: (property: ts.Symbol) => boolean = () => true,
  ): string => {
    const order = namesIn(schema, form);
    return checker
      .getPropertiesOfType(type)
      .filter(isMember)
      .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
      .map((property) => {
        const inner = propertyOf(schema, form, property.name);
        const value = checker.getTypeOfSymbol(property);
        const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
        const text = textOf(value, inner, form).replaceAll('\n', `\n${indent}`);
        const said = documented.property(schema, property, inner, form).map(sentence);
        if (said.every((text) => text === '' || text.startsWith('@')))
          undocumented.add(`${property.name} of ${idOf(schema, form) ?? checker.typeToString(type)}`);
        const plain = isOptional && !isExplicit(value) ? text.replace(/ \| undefined$/, '') : text;
        return `${commentOf(said, indent)}${indent}readonly ${propertyName(property.name)}${isOptional ? '?' : ''}: ${plain};\n`;
      })
      .join('');
  };

  /** True if undefined is allowed, and not only absence. */
  const isExplicit = (type: ts.Type): boolean =>
    type.isUnion() ? type.types.includes(checker.getUndefinedType()) : type === checker.getUndefinedType();

  return {
    textOf,
    membersOf: (type, schema) => membersOf(type, schema, 'input', '  ', ({ name }) => name in schema.shape),
    define: (shape) => {
      const key = referenceTo(shape.form, shape.id);
      shapes.set(key, shape);
      return key;
    },
    shapes,
    undocumented,
  };
};

const withoutComments = (text: string): string => text.replaceAll(/\s*\/\*\*.*?\*\//gs, '');

/** The documentation of a schema and of its properties. */
export interface Documentation {
  /** Paragraphs. */
  shape(schema: Schema | undefined, id: string, form: Form): readonly string[];
  property(of: Schema | undefined, property: ts.Symbol, schema: Schema | undefined, form: Form): readonly string[];
}
