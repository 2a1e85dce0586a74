import ts from 'typescript';
import type * as z from 'zod';
import { propertyName } from '../literal.ts';
import type { Contract } from './contract.ts';
import { elementOf, type Form, idOf, namesIn, optionsOf, propertyOf, valuesOf } from './schemas.ts';
import { commentOf, sentence } from './text.ts';

type Schema = z.core.$ZodType;

/** A named type. In texts, names are represented by references (`referenceTo`) until all names are known. */
export interface Shape {
  readonly id: string;
  readonly form: Form;
  readonly is: 'interface' | 'type';
  readonly about: readonly string[];
  readonly text: string;
}

export interface Shapes {
  /** The type as TypeScript text. A type that is named in its schema becomes a shape, and the text refers to it. */
  textOf(type: ts.Type, schema: Schema | undefined, form: Form): string;
  /** The documented members of an object that its schema declares. */
  membersOf(type: ts.Type, schema: z.ZodObject): string;
  /** Adds a shape. @returns the reference to it */
  define(shape: Shape): string;
  readonly shapes: ReadonlyMap<string, Shape>;
  /** Types and fields without documentation. */
  readonly undocumented: ReadonlySet<string>;
}

/** The placeholder for the name of a shape in a text. */
export const referenceTo = (form: Form, id: string): string => `<<${form}:${id}>>`;
export const REFERENCE: RegExp = /<<(input|output):(\w+)>>/g;

const { Undefined, Null, StringLike, NumberLike, BooleanLike, Literal, Unknown, Never } = ts.TypeFlags;

/** @param documented provides the documentation of schemas and properties */
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
    // Registered before its members, because the type may contain itself.
    const about = documented.shape(schema, id, form);
    if (about.every((text) => text === '')) undocumented.add(id);
    if (!known) shapes.set(key, { id, form, is: isObject ? 'interface' : 'type', about, text: '' });
    const text = structureOf(type, parts, schema, form, '');
    if (known && withoutComments(known.text) !== withoutComments(text))
      throw new TypeError(`two schemas are called ${id}:\n${known.text}\n${text}`);
    // The same type may be reached in two ways, and one of them may have lost its comments.
    if (!known || text.length > known.text.length) shapes.set(key, { ...(shapes.get(key) as Shape), text }); // set above
    return key;
  };

  const structureOf = (type: ts.Type, parts: readonly ts.Type[], schema: Schema | undefined, form: Form, indent: string): string => {
    if (parts.every(({ flags }) => flags & Literal)) return literals(parts, schema, form);
    if (parts.length > 1) return unionOf(parts, schema, form);
    if (type.flags & (StringLike | NumberLike | BooleanLike)) return checker.typeToString(type);
    if (checker.isArrayType(type)) {
      const element = textOf(checker.getTypeArguments(type as ts.TypeReference)[0] as ts.Type, elementOf(schema, form), form); // every array type has an argument
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
        // If the schema is not a union, the object comes from the schema itself.
        options.length > 0 ? textOf(part, options[index], form) : structureOf(part, [part], schema, form, ''),
      );
    const primitives = ['string', 'number', 'boolean'].filter((name) =>
      simple.some((part) => checker.typeToString(checker.getBaseTypeOfLiteralType(part)) === name),
    );
    return [...texts, ...primitives].join(' | ');
  };

  /** True if a member of a union belongs to a schema: it has the same literals and properties. */
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
        const paragraphs = documented.property(schema, property, inner, form).map(sentence);
        if (paragraphs.every((text) => text === '' || text.startsWith('@')))
          undocumented.add(`${property.name} of ${idOf(schema, form) ?? checker.typeToString(type)}`);
        const plain = isOptional && !isExplicit(value) ? text.replace(/ \| undefined$/, '') : text;
        return `${commentOf(paragraphs, indent)}${indent}readonly ${propertyName(property.name)}${isOptional ? '?' : ''}: ${plain};\n`;
      })
      .join('');
  };

  /** True if the type explicitly includes undefined, instead of only allowing absence. */
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
  /** Paragraphs. @param parent the schema that has the property */
  property(parent: Schema | undefined, property: ts.Symbol, schema: Schema | undefined, form: Form): readonly string[];
}
