import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { controllerOn } from './consumer-kills.ts';
import { folder } from './support.ts';

test('a process that does nothing but consume keeps running while its consumer is open, and ends with it', async () => {
  await using place = await folder();
  await using controller = await controllerOn(place.file, 0);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'consuming-alone.ts'), place.file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line === 'ready') await controller.api.services.create({ body: { name: 'printer', encryptionRequired: true } });
  }
  assert.deepEqual(lines, ['ready', 'printer']);
});
