/** Random syntax trees of filters, and the way back to text, for proving that the parser reads what was meant. */
import fc from 'fast-check';
import type { Literal } from '../../src/query/literal.ts';
import type { Comparison, Condition, Filter, Name, Operator, SetQuery, SortItem, Subject } from '../../src/query/tree.ts';
import { arbitraryDate, arbitraryText } from './filters.ts';

/** How to write what may be written in several ways. */
export interface Style {
  /** Where a blank is needed. */
  readonly gap: string;
  /** Where blanks may be. */
  readonly space: string;
  readonly keyword: (word: string) => string;
}

export const arbitraryStyle = (): fc.Arbitrary<Style> =>
  fc.record({
    gap: fc.constantFrom(' ', '\t', '\r\n', '   '),
    space: fc.constantFrom('', ' ', '\n'),
    keyword: fc.constantFrom(
      (word: string) => word,
      (word: string) => word.toUpperCase(),
      (word: string) => word.toLowerCase(),
    ),
  });

const at = 0;
// Names that begin like keywords must not be taken for them.
const name: fc.Arbitrary<Name> = fc
  .constantFrom(
    'name',
    'isAdmin',
    'tags.has-dash',
    'tags.a.b_c',
    'x_',
    'inner',
    'notes',
    'orders',
    'nullable',
    'datetimes',
    'limits',
    'tags.in',
  )
  .map((text) => ({ text, at }));

const string = arbitraryText().map(
  (value): Literal => ({ is: 'string', value: value.replaceAll(/[\u0000-\u0008\u000b\u000e-\u001f]/g, ''), at }),
);
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value): Literal => ({ is: 'number', value: value || 0, decimal: '', at }));
const date = arbitraryDate().map((value): Literal => ({ is: 'date', value, at }));
const other = fc.constantFrom<Literal>({ is: 'boolean', value: true, at }, { is: 'boolean', value: false, at }, { is: 'null', at });

const valuesOf = (operator: Operator): fc.Arbitrary<Comparison['values']> => {
  const one = (literal: fc.Arbitrary<Literal>): fc.Arbitrary<Comparison['values']> => literal.map((value) => [value]);
  // The first value makes the type true: there is at least one.
  const some = (literal: fc.Arbitrary<Literal>, minLength: number, maxLength: number) =>
    fc.array(literal, { minLength, maxLength }) as fc.Arbitrary<unknown> as fc.Arbitrary<Comparison['values']>;
  if (operator === '=') return one(fc.oneof(string, number, date, other));
  if (operator === 'contains') return one(fc.oneof(string, number));
  if (operator === 'icontains') return one(string);
  if (operator === 'in') return fc.oneof(some(string, 1, 4), some(number, 1, 4), some(date, 1, 4));
  if (operator === 'between') return fc.oneof(some(number, 2, 2), some(date, 2, 2));
  return one(fc.oneof(string, number, date));
};

const sortItems: fc.Arbitrary<readonly SortItem[]> = fc.array(fc.record({ name, descending: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

export const { filter: arbitraryFilter } = fc.letrec<{
  filter: Filter;
  condition: Condition;
  set: SetQuery;
  subject: Subject;
  comparison: Comparison;
}>((tie) => ({
  filter: fc
    .record({
      where: fc.option(tie('condition'), { nil: undefined, freq: 8 }),
      sort: fc.option(sortItems, { nil: undefined }),
      skip: fc.option(fc.integer(), { nil: undefined }),
      limit: fc.option(fc.oneof(fc.integer(), fc.constant('none' as const)), { nil: undefined }),
    })
    .map(
      (filter): Filter =>
        Object.values(filter).every((part) => part === undefined) ? { ...filter, where: { is: 'constant', value: true } } : filter,
    ),
  condition: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'condition' },
    { weight: 4, arbitrary: tie('comparison') },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('constant'), value: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('flag'), name }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('empty'), set: tie('set') }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant('not'), term: tie('condition') }) },
    {
      weight: 4,
      arbitrary: fc.record({ is: fc.constantFrom('and', 'or'), terms: fc.array(tie('condition'), { minLength: 2, maxLength: 4 }) }),
    },
  ),
  set: fc.record({ name, where: fc.oneof({ maxDepth: 2, depthIdentifier: 'condition' }, fc.constant(undefined), tie('filter')) }),
  subject: fc.oneof(
    fc.record({ is: fc.constantFrom('field', 'anyOf', 'allOf'), name }),
    fc.record({ is: fc.constant('count'), set: tie('set') }),
  ),
  comparison: fc.constantFrom<Operator>('=', '<', '<=', '>', '>=', 'contains', 'icontains', 'in', 'between').chain((operator) =>
    fc.record({
      is: fc.constant('comparison' as const),
      subject: tie('subject'),
      operator: fc.constant(operator),
      negated: /^[<>]/.test(operator) ? fc.constant(false) : fc.boolean(),
      values: valuesOf(operator),
      at: fc.constant(at),
    }),
  ),
}));

/** The tree as a filter, every group in parentheses. */
export const print = (filter: Filter, style: Style): string => {
  const { gap, keyword } = style;
  const clauses = [
    filter.where && printCondition(filter.where, style),
    filter.sort &&
      ['sort', 'by'].map(keyword).join(gap) +
        gap +
        filter.sort.map((key) => key.name.text + (key.descending ? gap + keyword('desc') : '')).join(`${style.space},${style.space}`),
    filter.skip !== undefined && `${keyword('skip')}${gap}${filter.skip}`,
    filter.limit !== undefined && `${keyword('limit')}${gap}${filter.limit === 'none' ? keyword('none') : filter.limit}`,
  ];
  return clauses.filter((clause) => typeof clause === 'string').join(gap);
};

const printCondition = (condition: Condition, style: Style): string => {
  const { gap, space, keyword } = style;
  const grouped = (term: Condition): string => {
    const text = printCondition(term, style);
    return term.is === 'and' || term.is === 'or' || term.is === 'not' ? `(${space}${text}${space})` : text;
  };
  switch (condition.is) {
    case 'constant':
      return keyword(String(condition.value));
    case 'flag':
      return condition.name.text;
    case 'and':
    case 'or':
      return condition.terms.map(grouped).join(gap + keyword(condition.is) + gap);
    case 'not':
      return keyword('not') + gap + grouped(condition.term);
    case 'empty':
      return `${keyword('isEmpty')}(${space}${printSet(condition.set, style)}${space})`;
    case 'comparison':
      return printComparison(condition, style);
  }
};

const printSet = ({ name, where }: SetQuery, style: Style): string =>
  where ? [style.keyword('from'), name.text, style.keyword('where'), print(where, style)].join(style.gap) : name.text;

const printComparison = ({ subject, operator, negated, values }: Comparison, style: Style): string => {
  const { gap, space, keyword } = style;
  const left =
    subject.is === 'field'
      ? subject.name.text
      : `${keyword(subject.is)}(${space}${subject.is === 'count' ? printSet(subject.set, style) : subject.name.text}${space})`;
  const right = values.map((value) => printLiteral(value, style));
  if (operator === '=') return `${left}${space}${negated ? '!=' : '='}${space}${right[0]}`;
  if (/^[<>]/.test(operator)) return `${left}${space}${operator}${space}${right[0]}`;
  const not = negated ? keyword('not') + (operator === 'in' ? ' ' : gap) : '';
  const operand = operator === 'in' ? `[${space}${right.join(`${space},${space}`)}${space}]` : right.join(gap + keyword('and') + gap);
  return `${left}${gap}${not}${keyword(operator)}${gap}${operand}`;
};

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\f': '\\f' };

const printLiteral = (literal: Literal, { space, keyword }: Style): string => {
  if (literal.is === 'string') return `"${literal.value.replaceAll(/["\\\n\r\t\f]/g, (found) => ESCAPES[found] ?? found)}"`;
  if (literal.is === 'date') return `datetime(${space}${literal.value}${space})`;
  return literal.is === 'number' ? String(literal.value) : keyword(literal.is === 'null' ? 'null' : String(literal.value));
};
