import fc from 'fast-check';
import { building, newIdentity, newPolicy, newRouter, newRouterPolicy, newService } from './building.ts';
import { changing } from './changing.ts';
import type { Command } from './command.ts';
import { emptyModel, type Model } from './model.ts';
import type { System } from './system.ts';
import { newLogin, using } from './using.ts';

/** Two who may dial one service of two, and one router for all. */
export const someNetwork = async (system: System): Promise<Model> => {
  const model = emptyModel(system.app.clock.now());
  for (const attribute of ['a', 'b']) {
    await newIdentity(model, system, [attribute]);
    await newService(model, system, [attribute]);
    await newLogin(model, system, model.identities.length - 1);
  }
  await newRouter(model, system, ['a']);
  for (const side of ['identities', 'services'] as const)
    await newRouterPolicy(model, system, { of: side, semantic: 'AnyOf', from: 'all', to: 'all' });
  const checks = { words: ['a'], picks: [] };
  await newPolicy(model, system, { type: 'Dial', semantic: 'AnyOf', identities: 'all', services: checks, checks });
  return model;
};

/** Anything that may happen to a network. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(...building, ...changing, ...using);
