/** Decodes the buckets of entities by the declarations of their fields: what is an empty set and what an empty object, only these tell. */

import { Bucket } from './bolt/bucket.ts';
import type { BoltFile } from './bolt/file.ts';
import type { LeafElement } from './bolt/page.ts';
import { PageClaims } from './bolt/page-claims.ts';
import type { Field, Fields, FormerJson, FormerJsonObject } from './fields/field.ts';
import { FormerDatabaseError } from './former-error.ts';
import { isZeroTime, LIST_SIZE, type Scalar, scalarOf, TYPES, textOf, typedKeyOf } from './values.ts';

/** The maximum size of one entity: its keys and values, and what a value needs in memory, however short it is. */
const MAX_ENTITY_BYTES = 32 * 2 ** 20;
const VALUE_BYTES = 128;

/** Objects and lists in each other, far more than this controller takes in requests. A list or an object below them is left out. */
const MAX_DEPTH = 500;

/**
 * Decodes one entity: it counts what it reads, and collects the names of fields that are not declared, and of those that it did not read to
 * their end.
 */
export class EntityDecoder {
  readonly unknown = new Set<string>();
  readonly cut = new Set<string>();
  readonly #file: BoltFile;
  readonly #claims: PageClaims;
  readonly #entity: string;
  #bytes = 0;

  /** @param entity how errors name it, e.g. `identities/abc` */
  constructor(file: BoltFile, entity: string, claims = new PageClaims()) {
    this.#file = file;
    this.#entity = entity;
    this.#claims = claims;
  }

  /** The values of the fields in the bucket that an element describes; `path` is that of an object in the entity, e.g. `edge.`. */
  object(fields: Fields, element: LeafElement, path = ''): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const each of this.#elements(element)) {
      const name = textOf(each.key, each.page);
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!field) this.unknown.add(path + name);
      else if (field.is !== 'derived') {
        const value = this.#value(field, each, path + name);
        if (value !== undefined) values[name] = value;
      }
    }
    this.#complete(values, fields, element, path);
    return values;
  }

  /** Adds what stands for absent fields. */
  #complete(values: Record<string, unknown>, fields: Fields, element: LeafElement, path: string): void {
    for (const name in fields) {
      const field = fields[name];
      if (!field || Object.hasOwn(values, name)) continue;
      if (field.orElse) values[name] = field.orElse.value;
      else if (field.is !== 'derived') throw this.#damaged(`has no ${path}${name}`, element);
    }
  }

  /** Undefined for nil, and for a time that is none. */
  #value(field: Field, element: LeafElement, path: string): unknown {
    if (field.is === 'bytes') return Uint8Array.from(this.#scalarBytes(element, path));
    if (field.is === 'set' || field.is === 'json' || field.is === 'map' || field.is === 'object')
      return element.isBucket ? this.#bucketValue(field, element, path) : this.#nil(element, path);
    const value = scalarOf(this.#scalarBytes(element, path), element.page);
    if (value === null || (value instanceof Date && field.orElse && isZeroTime(value))) return undefined;
    if (!isOf(field, value)) throw this.#damaged(`has a value in ${path} that is not of type ${field.is}`, element);
    return value;
  }

  #bucketValue(field: Field, element: LeafElement, path: string): unknown {
    if (field.is === 'set') return this.#elements(element).map(({ key, page }) => typedKeyOf(key, page));
    if (field.is === 'object') return this.object(field.fields ?? {}, element, `${path}.`);
    if (field.is === 'json') return this.#json(element, path, 0);
    const { of } = field;
    if (!of) throw new TypeError(`the map ${path} is declared without the form of its values`);
    return new Map(this.#elements(element).map((each) => [textOf(each.key, each.page), this.#mapped(of, each, path)]));
  }

  #mapped(of: Field, element: LeafElement, path: string): unknown {
    const value = this.#value(of, element, `${path}.*`);
    if (value === undefined) throw this.#damaged(`has nothing in ${path} below one of its keys`, element);
    return value;
  }

  /** The top of a field is an object; what it holds may be lists, too. */
  #json(element: LeafElement, path: string, depth: number): FormerJsonObject {
    const value = this.#jsonBucket(this.#elements(element), path, depth);
    if (Array.isArray(value)) throw this.#damaged(`has a list in ${path}, not an object`, element);
    return value as FormerJsonObject; // a bucket is a list or an object
  }

  #jsonValue(element: LeafElement, path: string, depth: number): FormerJson {
    if (element.isBucket && depth > MAX_DEPTH) {
      this.cut.add(path);
      return null;
    }
    if (element.isBucket) return this.#jsonBucket(this.#elements(element), path, depth);
    const value = scalarOf(this.#scalarBytes(element, path), element.page);
    return value instanceof Date ? value.toISOString() : value;
  }

  #jsonBucket(elements: readonly LeafElement[], path: string, depth: number): FormerJson {
    const size = elements.find((each) => isListSize(each));
    if (size) return this.#list(elements, size, path, depth);
    // Defines keys, also `__proto__`, where an assignment would call a setter.
    return Object.fromEntries(elements.map((each) => [textOf(each.key, each.page), this.#jsonValue(each, path, depth + 1)]));
  }

  #list(elements: readonly LeafElement[], size: LeafElement, path: string, depth: number): readonly FormerJson[] {
    const length = elements.length - 1;
    if (size.value.readInt32LE(1) !== length)
      throw this.#damaged(`has a list in ${path} whose length is not the number of its values`, size);
    const list = new Map<number, FormerJson>();
    for (const each of elements) if (each !== size) list.set(this.#index(each, length, path), this.#jsonValue(each, path, depth + 1));
    return Array.from({ length }, (_, index) => list.get(index) ?? null);
  }

  #index({ key, page, ...rest }: LeafElement, length: number, path: string): number {
    const index = key.length === 5 && key[0] === TYPES.int32 ? key.readInt32LE(1) : -1;
    if (index < 0 || index >= length) throw this.#damaged(`has a value in ${path} without a place in its list`, { key, page, ...rest });
    return index;
  }

  #scalarBytes(element: LeafElement, path: string): Buffer {
    if (element.isBucket) throw this.#damaged(`has a bucket in ${path}, where a value should be`, element);
    return element.value;
  }

  #nil(element: LeafElement, path: string): undefined {
    if (scalarOf(element.value, element.page) !== null) throw this.#damaged(`has a value in ${path}, where a bucket should be`, element);
    return undefined;
  }

  #elements(element: LeafElement): LeafElement[] {
    const elements: LeafElement[] = [];
    for (const each of Bucket.in(this.#file, element).elements(this.#claims)) {
      this.#bytes += VALUE_BYTES + each.key.length + each.value.length;
      if (this.#bytes > MAX_ENTITY_BYTES) throw this.#tooLarge('is larger than 32 MiB', each);
      elements.push(each);
    }
    return elements;
  }

  #damaged(fault: string, { page }: LeafElement): FormerDatabaseError {
    return new FormerDatabaseError('DAMAGED', `${this.#entity} ${fault}`, page);
  }

  #tooLarge(fault: string, { page }: LeafElement): FormerDatabaseError {
    return new FormerDatabaseError('TOO_LARGE', `${this.#entity} ${fault}`, page);
  }
}

/** A key of an object may have the same name, and a value of another type. */
const isListSize = ({ key, value, isBucket }: LeafElement): boolean =>
  !isBucket && value.length === 5 && value[0] === TYPES.int32 && key.toString('latin1') === LIST_SIZE;

const isOf = ({ is }: Field, value: Scalar): boolean =>
  is === 'bool'
    ? typeof value === 'boolean'
    : is === 'int'
      ? Number.isInteger(value)
      : is === 'text'
        ? typeof value === 'string'
        : value instanceof Date;
