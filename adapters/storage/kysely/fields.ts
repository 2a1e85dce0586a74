/** Finds the SQL of a field: a column, a value in the document, or (within `some`) the element of a set. */
import { ELEMENT, type FieldRef, type FieldType } from '../../../src/adapter-kit.ts';
import type { SqlEngine } from './engine/index.ts';
import type { JsonType } from './engine/queries.ts';
import type { Layout } from './layout.ts';
import { raw, type Sql, sql } from './sql.ts';

/** A field as a value of each type. Undefined if a field of its type never has such a value; a comparison is then false. */
export interface Access {
  readonly text: Sql | undefined;
  readonly number: Sql | undefined;
  readonly boolean: Sql | undefined;
  /** The operand for `is null`. */
  readonly any: Sql;
  /** The sort key: a value of the field's type. */
  readonly order: Sql;
}

export interface Fields {
  find(field: FieldRef): Access;
  /** The id of the row that is tested. */
  readonly id: Sql;
  /** True if so few rows are tested that a correlated subquery per row costs less than finding all rows that satisfy the predicate. */
  readonly prefersCorrelated: boolean;
}

/** The fields of a row under an alias, and of its document under another. */
export class RowFields implements Fields {
  readonly alias: Sql;
  readonly document: Sql;
  readonly id: Sql;
  readonly prefersCorrelated: boolean;
  /** True if a field was found only in the document, so that its table has to be joined. */
  needsDocument = false;
  readonly #engine: SqlEngine;
  readonly #layout: Layout;

  constructor(engine: SqlEngine, layout: Layout, alias: string, prefersCorrelated = false) {
    this.prefersCorrelated = prefersCorrelated;
    this.#engine = engine;
    this.#layout = layout;
    this.alias = raw(alias);
    this.document = raw(`${alias}_document`);
    this.id = raw(`${alias}.id`);
  }

  find({ path, type }: FieldRef): Access {
    const inDocument = (as: JsonType): Sql => {
      this.needsDocument = true;
      return this.#engine.jsonValue(sql`${this.document}.${this.#engine.documents?.queried ?? raw('document')}`, path, as);
    };
    return new RowField(type, path.length > 1 ? undefined : this.#column(path[0]), inDocument);
  }

  #column(field: string): StoredColumn | undefined {
    if (field === 'id') return { type: 'text', sql: this.id };
    const column = this.#layout.columns.get(field);
    return column && { type: VALUE_TYPE[column.type], sql: sql`${this.alias}.${column.sql}` };
  }
}

interface StoredColumn {
  readonly type: 'text' | 'number' | 'boolean' | undefined;
  readonly sql: Sql;
}

/** The members are getters, because reading a value from the document makes the query join the table of documents. */
class RowField implements Access {
  readonly #type: FieldType;
  readonly #column: StoredColumn | undefined;
  readonly #inDocument: (as: JsonType) => Sql;

  constructor(type: FieldType, column: StoredColumn | undefined, inDocument: (as: JsonType) => Sql) {
    this.#type = type;
    this.#column = column;
    this.#inDocument = inDocument;
  }

  get text() {
    const type = TEXT_TYPE[this.#type];
    return this.#inColumn('text') ?? (type && this.#inDocument(type));
  }

  get number() {
    return this.#inColumn('number') ?? this.#inDocument('number');
  }

  get boolean() {
    return this.#inColumn('boolean') ?? this.#inDocument('boolean');
  }

  get any() {
    return this.#inColumn(VALUE_TYPE[this.#type]) ?? this.#inDocument('any');
  }

  get order() {
    return this.#inColumn(VALUE_TYPE[this.#type]) ?? this.#inDocument(VALUE_TYPE[this.#type] ?? 'any');
  }

  /** The column if both the column and the field have this type. */
  #inColumn(type: StoredColumn['type']): Sql | undefined {
    return type !== undefined && type === VALUE_TYPE[this.#type] && type === this.#column?.type ? this.#column.sql : undefined;
  }
}

/** The SQL type of the values of a field; undefined for tags, which may be of any type. */
const VALUE_TYPE: Readonly<Record<FieldType, 'text' | 'number' | 'boolean' | undefined>> = {
  string: 'text',
  date: 'text',
  number: 'number',
  boolean: 'boolean',
  tag: undefined,
};

/** The type as which a field's value is read to compare it as text. */
const TEXT_TYPE: Readonly<Record<FieldType, JsonType | undefined>> = {
  string: 'text',
  date: 'text',
  number: 'numberText',
  boolean: undefined,
  tag: 'tagText',
};

/** The fields within `some`: only the element, which is text. */
export const elementFields = (value: Sql, id: Sql): Fields => ({
  id,
  prefersCorrelated: false,
  find(field) {
    if (field.path[0] !== ELEMENT.path[0]) throw new TypeError(`a condition on an element of a set cannot use ${field.path.join('.')}`);
    return {
      text: field.type === 'boolean' || field.type === 'number' ? raw('null') : value,
      number: undefined,
      boolean: undefined,
      any: value,
      order: value,
    };
  },
});
