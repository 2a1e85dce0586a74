/** Consumes changes and does nothing else, until it has been handed a service: `node consuming-alone.ts <database>`. */
import { writeSync } from 'node:fs';
import { controllerOn } from './consumer-kills.ts';

const controller = await controllerOn(process.argv[2] ?? '', 0);
const { ready } = controller.changes.consume(
  'alone',
  ({ after }) => {
    writeSync(1, `${after?.name}\n`);
    void controller.close();
  },
  { kinds: ['service'] },
);
await ready;
writeSync(1, 'ready\n');
