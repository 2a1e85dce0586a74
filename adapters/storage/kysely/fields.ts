/** Where SQL finds a field: in a column, in the document, or (inside of `some`) as the element of a set. */
import { ELEMENT, type FieldRef, type FieldType } from '../../../src/adapter-kit.ts';
import type { DocumentType, Engine } from './engine.ts';
import type { Layout } from './layout.ts';
import { name, raw, type Sql, sql } from './sql.ts';

/** A field as the values that a question may want. Undefined where a field of its type never has one: what is asked of it is then false. */
export interface Access {
  readonly text: Sql | undefined;
  readonly number: Sql | undefined;
  readonly boolean: Sql | undefined;
  /** For `is null`. */
  readonly any: Sql;
  /** A value of the field's type, to sort by. */
  readonly order: Sql;
}

export interface Fields {
  find(field: FieldRef): Access;
  /** The id of the row asked. */
  readonly id: Sql;
}

/** The fields of a row under an alias, and of its document under another. */
export class RowFields implements Fields {
  readonly alias: Sql;
  readonly document: Sql;
  readonly id: Sql;
  /** Whether something was found in the document only, which has to be joined then. */
  needsDocument = false;
  readonly #engine: Engine;
  readonly #layout: Layout;

  constructor(engine: Engine, layout: Layout, alias: string) {
    this.#engine = engine;
    this.#layout = layout;
    this.alias = name(alias);
    this.document = name(`${alias}_document`);
    this.id = sql`${this.alias}.id`;
  }

  find({ path, type }: FieldRef): Access {
    const inDocument = (as: DocumentType): Sql => {
      this.needsDocument = true;
      return this.#engine.at(sql`${this.document}.${this.#engine.documents?.asked ?? raw('document')}`, path, as);
    };
    const column = path.length > 1 ? undefined : this.#column(path[0]);
    const isColumn = (asked: 'text' | 'number' | 'boolean') => column?.type === asked && asked === VALUE_TYPE[type];
    // Getters, because to ask the document once is to join it.
    return {
      get text() {
        if (isColumn('text')) return column?.sql;
        return TEXT_TYPE[type] && inDocument(TEXT_TYPE[type]);
      },
      get number() {
        return isColumn('number') ? column?.sql : inDocument('number');
      },
      get boolean() {
        return isColumn('boolean') ? column?.sql : inDocument('boolean');
      },
      get any() {
        return column && column.type === VALUE_TYPE[type] ? column.sql : inDocument('any');
      },
      get order() {
        return column && column.type === VALUE_TYPE[type] ? column.sql : inDocument(VALUE_TYPE[type] ?? 'any');
      },
    };
  }

  #column(field: string): { readonly type: 'text' | 'number' | 'boolean' | undefined; readonly sql: Sql } | undefined {
    if (field === 'id') return { type: 'text', sql: this.id };
    const column = this.#layout.columns.get(field);
    return column && { type: VALUE_TYPE[column.type], sql: sql`${this.alias}.${column.sql}` };
  }
}

/** What a value of a field's type is to SQL; a tag may be any of them. */
const VALUE_TYPE: Readonly<Record<FieldType, 'text' | 'number' | 'boolean' | undefined>> = {
  string: 'text',
  date: 'text',
  number: 'number',
  boolean: 'boolean',
  tag: undefined,
};

/** What counts as the text of a field's value. */
const TEXT_TYPE: Readonly<Record<FieldType, DocumentType | undefined>> = {
  string: 'text',
  date: 'text',
  number: 'numberText',
  boolean: undefined,
  tag: 'tagText',
};

/** The element of a set, which is a text and the only field there. */
export const elementFields = (value: Sql, id: Sql): Fields => ({
  id,
  find(field) {
    if (field.path[0] !== ELEMENT.path[0])
      throw new TypeError(`a question about an element of a set cannot ask for ${field.path.join('.')}`);
    return {
      text: field.type === 'boolean' || field.type === 'number' ? raw('null') : value,
      number: undefined,
      boolean: undefined,
      any: value,
      order: value,
    };
  },
});
