/** The operators and values that each type of field allows: the table "Types and operators" of docs/filters.md. */
import { FilterError, shownText } from './errors.ts';
import { type Literal, VALUE_NAMES, type Value } from './literal.ts';
import type { FieldType, Ordering } from './predicate.ts';
import type { Comparison, Operator } from './tree.ts';

/** @throws FilterError if the comparison's operator or values do not fit the type; `count` is the number of a set's elements. */
export const checkTypes = ({ subject, operator, negated, values, at }: Comparison, type: FieldType | 'count'): void => {
  const family: Family =
    operator === '=' ? 'equality' : operator === '<' || operator === '<=' || operator === '>' || operator === '>=' ? 'order' : operator;
  const takes: readonly Literal['is'][] | undefined = TAKES[type][family];
  const word = family === 'equality' ? (negated ? '!=' : '=') : operator;
  const subjectText = subject.is === 'count' ? 'count' : `${shownText(subject.name.text)} (${type})`;
  if (takes === undefined) throw new FilterError(`${subjectText} takes no '${word}'`, at + 1);
  for (const value of values) {
    if (value.is === 'null' || takes.includes(value.is)) continue; // the parser allows null only after = and !=
    throw new FilterError(
      `${subjectText} takes ${takes.map((kind) => VALUE_NAMES[kind]).join(' or ')} after '${word}', not ${VALUE_NAMES[value.is]}`,
      value.at + 1,
    );
  }
};

type Family = 'equality' | 'order' | Exclude<Operator, Ordering>;

const TAKES: Readonly<Record<FieldType | 'count', Readonly<Partial<Record<Family, readonly Value['is'][]>>>>> = {
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
