/** The operators and values that each type of field allows: the table "Types and operators" of docs/filters.md. */
import { FilterError, shownText } from './errors.ts';
import { type Literal, VALUE_NAMES, type Value } from './literal.ts';
import type { FieldType, Ordering } from './predicate.ts';
import type { Comparison, Operator } from './tree.ts';

/**
 * Checks the types of a comparison.
 * @param type the type of the field; `count` for the number of elements of a set
 * @throws FilterError if the type does not support the operator, or a value
 */
export const checkTypes = ({ subject, operator, negated, values, at }: Comparison, type: FieldType | 'count'): void => {
  const valueTypes: readonly Literal['is'][] | undefined = VALUE_TYPES[type][FAMILIES[operator]];
  const symbol = operator === '=' && negated ? '!=' : operator;
  const subjectText = subject.is === 'count' ? 'count' : `${shownText(subject.name.text)} (${type})`;
  if (valueTypes === undefined) throw new FilterError(`${subjectText} does not support '${symbol}'`, at + 1);
  for (const value of values) {
    if (value.is === 'null' || valueTypes.includes(value.is)) continue; // the parser allows null only after = and !=
    throw new FilterError(
      `${subjectText} requires ${valueTypes.map((kind) => VALUE_NAMES[kind]).join(' or ')} after '${symbol}', not ${VALUE_NAMES[value.is]}`,
      value.at + 1,
    );
  }
};

type Family = 'equality' | 'order' | Exclude<Operator, Ordering>;

const FAMILIES: Readonly<Record<Operator, Family>> = {
  '=': 'equality',
  '<': 'order',
  '<=': 'order',
  '>': 'order',
  '>=': 'order',
  contains: 'contains',
  icontains: 'icontains',
  in: 'in',
  between: 'between',
};

/** The types of values that follow an operator, by type of the field and family of the operator. */
const VALUE_TYPES: Readonly<Record<FieldType | 'count', Readonly<Partial<Record<Family, readonly Value['is'][]>>>>> = {
  string: {
    equality: ['string', 'number'],
    order: ['string', 'number'],
    contains: ['string', 'number'],
    icontains: ['string'],
    in: ['string', 'number'],
  },
  number: { equality: ['number'], order: ['number'], contains: ['string', 'number'], in: ['number', 'string'], between: ['number'] },
  boolean: { equality: ['boolean'] },
  date: { equality: ['date'], order: ['date'], in: ['date'], between: ['date'] },
  tag: {
    equality: ['string', 'number', 'boolean', 'date'],
    order: ['string', 'number', 'date'],
    contains: ['string'],
    icontains: ['string'],
    in: ['string', 'number', 'date'],
  },
  count: { equality: ['number'], order: ['number'], in: ['number', 'string'], between: ['number'] },
};
