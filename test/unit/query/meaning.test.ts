import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilterError, MAX_ALTERNATIVES, readFilter } from '../../../src/query/index.ts';
import { ask, people } from './sample.ts';

/** Each filter with the people whom it finds; `abcd` stands for ann, bob, cyd and dan. */
const finds = (table: Readonly<Record<string, string>>): void => {
  for (const [filter, letters] of Object.entries(table))
    assert.equal(
      ask(filter)
        .map((id) => String(id)[0])
        .join(''),
      letters,
      filter,
    );
};

// biome-ignore format: one row for each operator
test('text is compared exactly, case sensitive, by code point', () =>
  finds({
    'name = "Ann"': 'a', 'name = "ann"': '', 'name != "Ann"': 'bcd', 'name < "a"': 'ac', 'name <= "Ann"': 'a', 'name > "Ann"': 'bc', 'name >= "Ann"': 'abc',
    'name contains "n"': 'a', 'name contains "A"': 'a', 'name contains "a"': '', 'name icontains "a"': 'a', 'name icontains "B"': 'b', 'name contains ""': 'abc',
    'name not contains "n"': 'bcd', 'name not icontains "B"': 'acd', 'name contains "\\"q\\" \\\\"': 'c',
    'name in ["Ann", "bob", "x"]': 'ab', 'name not in ["Ann"]': 'bcd', 'address.city = "Bonn"': 'a', 'not name = "Ann"': 'bcd',
  }));

// biome-ignore format: one row for each operator
test('numbers are compared by value, and as text where they meet text', () =>
  finds({
    'age = 41': 'a', 'age = 41.0': 'a', 'age = 4.1e1': 'a', 'age < 41': 'b', 'age >= 7.5': 'ab', 'age != 41': 'bcd', 'age in [7.5, 3]': 'b', 'age in ["41", "x"]': 'a', 'age in ["41.0"]': '', 'age not in [41]': 'bcd',
    'age contains "1"': 'a', 'age contains 5': 'b', 'age contains "."': 'b', 'age between 7.5 and 41': 'b', 'age between 41 and 7.5': '', 'age not between 7.5 and 41': 'acd', 'age = -0': '', 'age > -1e300': 'ab',
    'id = 5': '', 'name > 1': 'abc', 'tags.site contains "o"': 'ab',
  }));

test('a number held against text is its decimal text, however it was written', () => {
  const written = {
    '5': '5',
    '5.0': '5',
    '1.50': '1.5',
    '1e3': '1000',
    '1e21': '1000000000000000000000',
    '-2.5e-7': '-0.00000025',
    '-0': '0',
    '12345678901234567890': '12345678901234567890',
  };
  for (const [number, text] of Object.entries(written)) {
    assert.deepEqual(
      readFilter(`name = ${number}`, people).where,
      { op: 'compare', field: { path: ['name'], type: 'string' }, is: '=', value: text },
      number,
    );
  }
});

// biome-ignore format: one row for each operator
test('dates are compared in time; between includes the lower and excludes the upper bound', () =>
  finds({
    'seenAt = datetime(2024-03-01T01:00:00+01:00)': 'a', 'seenAt > datetime(2024-03-01T00:00:00Z)': 'b', 'seenAt >= datetime(2024-03-01T00:00:00Z)': 'ab', 'seenAt != datetime(2024-03-01T00:00:00Z)': 'bcd',
    'seenAt between datetime(2024-03-01T00:00:00Z) and datetime(2024-03-02T00:00:00Z)': 'a', 'seenAt not between datetime(2024-03-01T00:00:00Z) and datetime(2024-03-02T00:00:00Z)': 'bcd',
    'seenAt in [datetime(2024-03-02T00:00:00Z)]': 'b',
  }));

// biome-ignore format: one row for each operator
test('null is equal to null only, and false as a boolean', () =>
  finds({
    'name = null': 'd', 'name != null': 'abc', 'address.city = null': 'bcd', 'isSystem = null': 'abcd', 'isSystem': '', 'isSystem = false': 'abcd', 'isSystem != false': '',
    'name = "x"': '', 'name != "x"': 'abcd', 'age < 100': 'ab', 'not age < 100': 'cd', 'age not contains "1"': 'bcd', 'seenAt < datetime(2100-01-01T00:00:00Z)': 'ab',
    'isAdmin': 'a', 'not isAdmin': 'bcd', 'isAdmin = true': 'a', 'isAdmin = false': 'bcd', 'isAdmin != true': 'bcd', 'isAdmin != false': 'a', 'isAdmin = null': 'd', 'isAdmin != null': 'abc',
  }));

// biome-ignore format: one row for each operator
test('tags are compared as what they are compared with', () =>
  finds({
    'tags.site = "North"': 'a', 'tags.site != "North"': 'bcd', 'tags.site icontains "NORTH"': 'a', 'tags.site not icontains "NORTH"': 'bcd', 'tags.site < "s"': 'a', 'tags.site in ["North", "south"]': 'ab', 'tags.site = null': 'cd', 'tags.none = null': 'abcd',
    'tags.flag': 'a', 'tags.flag = true': 'a', 'tags.flag != true': 'bcd', 'tags.flag = false': 'bd', 'tags.flag != false': 'ac', 'tags.flag = "true"': 'ac', 'tags.flag = "false"': 'b', 'tags.flag = 1': '',
    'tags.a.b = "dotted"': 'a', 'tags.has-dash = "q"': 'a', 'tags.constructor = null': 'abcd', 'tags.site = datetime(2024-01-01T00:00:00Z)': '', 'tags.site != datetime(2024-01-01T00:00:00Z)': 'abcd',
  }));

// biome-ignore format: one row for each operator
test('sets are asked for some element, for every element, or for their number', () =>
  finds({
    'anyOf(roles) = "red"': 'ab', 'anyOf(roles) != "red"': 'ad', 'anyOf(roles) in ["blue", "Red"]': 'ad', 'anyOf(roles) not in ["red"]': 'ad', 'anyOf(roles) contains "e"': 'abd', 'anyOf(roles) not contains "b"': 'abd', 'anyOf(roles) icontains "R"': 'abd', 'anyOf(roles) < "a"': 'd', 'anyOf(roles) = null': '', 'anyOf(roles) != null': 'abd',
    'allOf(roles) = "red"': 'bc', 'allOf(roles) != "red"': 'cd', 'allOf(roles) in ["red", "blue"]': 'abc', 'allOf(roles) not in ["blue"]': 'bcd', 'allOf(roles) contains "ed"': 'bcd', 'allOf(roles) not contains "b"': 'bcd', 'allOf(roles) > "a"': 'abc', 'allOf(roles) = null': 'c', 'allOf(roles) != null': 'abcd',
    'not anyOf(roles) = "red"': 'cd', 'isEmpty(roles)': 'c', 'not isEmpty(roles)': 'abd', 'count(roles) = 2': 'a', 'count(roles) != 1': 'ac', 'count(roles) in [0, 2]': 'ac', 'count(roles) not in [0, 2]': 'bd', 'count(roles) in ["2", "02", "x"]': 'a', 'count(roles) between 1 and 2': 'bd', 'count(roles) not between 1 and 2': 'ac',
    'count(roles) > 0.5': 'abd', 'count(roles) >= 0.5': 'abd', 'count(roles) < 0.5': 'c', 'count(roles) <= 1.5': 'bcd', 'count(roles) < 1': 'c', 'count(roles) >= 2': 'a', 'count(roles) = 1.5': '', 'count(roles) < -1': '', 'count(roles) > -1': 'abcd', 'count(roles) < 1e300': 'abcd', 'count(roles) >= 1e300': '', 'count(roles) = null': '', 'count(roles) != null': 'abcd',
  }));

test('stores are only asked for whole numbers of elements that a set can have', () => {
  const asked = (filter: string): unknown => readFilter(filter, people).where;
  assert.deepEqual(asked('count(roles) <= 1.5'), { op: 'size', set: 'roles', is: '<', value: 2 });
  assert.deepEqual(asked('count(roles) >= 1e300'), { op: 'none' });
  assert.deepEqual(asked('count(roles) < 1e300'), { op: 'all' });
  assert.deepEqual(asked('age = -0'), { op: 'compare', field: { path: ['age'], type: 'number' }, is: '=', value: 0 });
});

// biome-ignore format: one row for each operator
test('a subquery counts the referenced entities that satisfy it', () =>
  finds({
    'anyOf(hobbies) = "go"': 'ab', 'isEmpty(from hobbies where name = "Chess")': 'bc', 'not isEmpty(from hobbies where name = "Chess" or tags.old)': 'abd', 'count(from hobbies where true) = 2': 'a', 'count(from hobbies where true) = 1': 'bd', 'count(from hobbies where tags.old sort by name) > 0': 'ab', 'isEmpty(hobbies)': 'c',
  }));

test('a subquery may only use what both kinds have, and no page', () => {
  const refused = [
    'from roles where true',
    'from name where true',
    'from bogus where true',
    'from hobbies where cost = 1',
    'from hobbies where age = "x"',
    'from hobbies where isAdmin',
    'from hobbies where isEmpty(roles)',
    'from hobbies where tags = null',
    'from hobbies where true sort by cost',
    'from hobbies where true limit 1',
    'from hobbies where skip 1',
  ];
  for (const set of refused) assert.throws(() => readFilter(`isEmpty(${set})`, people), FilterError, set);
});

// biome-ignore format: one row for each operator
test('secrets can be known but not probed', () =>
  finds({
    'token = "s3cret"': 'a', 'token != "s3cret"': 'bcd', 'token in ["x", "s3cret"]': 'a', 'token not in ["s3cret"]': 'bcd', 'token = null': '', 'token != null': 'abcd', 'token < "z"': '', 'token contains ""': '', 'token not contains "x"': 'abcd', 'token icontains "s"': '',
    'password = "x"': '', 'password != "x"': 'abcd', 'password in ["x"]': '', 'password > ""': '', 'isHaunted': '', 'isHaunted = false': '', 'isHaunted != false': 'abcd',
  }));

test('lists that become many conditions are bounded', () => {
  const list = (length: number): string => Array.from({ length }, (_, index) => String(index)).join(',');
  for (const left of ['count(roles)', 'token']) {
    assert.doesNotThrow(() => readFilter(`${left} in [${list(MAX_ALTERNATIVES)}]`, people));
    assert.throws(() => readFilter(`${left} in [${list(MAX_ALTERNATIVES + 1)}]`, people), FilterError);
  }
});
