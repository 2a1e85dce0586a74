import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../server/commands/index.ts';
import { sentenceOf } from '../../server/failure.ts';

/** The sentence with which the command export fails. */
const failure = async (url: string, token: string): Promise<string> =>
  runCommand('export', ['--url', url], { API_TOKEN: token }).then(() => assert.fail('the command must fail'), sentenceOf);

test('an API token is not sent in the clear to another machine', async () => {
  for (const url of ['http://overlay.example.com:1280', 'http://127.0.0.1.example.com', 'http://localhost.example.com'])
    assert.match(await failure(url, 'a-token'), /^--url must begin with https/);
  assert.match(await failure('http://127.0.0.1:1', 'a-token'), /got no answer/);
});

test('an API token that no header can hold is not shown', async () => {
  for (const token of ['se\ncret', 'se cret', 'secret\u20ac']) {
    const sentence = await failure('https://127.0.0.1:1', token);
    assert.match(sentence, /^the variable API_TOKEN must contain only an API token/);
    assert.doesNotMatch(sentence, /cret/);
  }
});

test('a password in --url is not shown', async () => {
  for (const url of ['https://ann:hunter2@overlay.example.com', 'ftp://ann:hunter2@x', 'https://ann:hun/ter2@x', 'ann:hunter2@x'])
    assert.doesNotMatch(await failure(url, 'a-token'), /hunter2|hun\/ter2/);
});

test('text of others in an error does not control the terminal that shows it', () => {
  assert.equal(
    sentenceOf(new Error('services.\u001b[2Jwiki\u009b\u202e is refused')),
    'services.\\u{1b}[2Jwiki\\u{9b}\\u{202e} is refused',
  );
});
