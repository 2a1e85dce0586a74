/** What a command is: it does the same to the controller and to the model, and then both must agree. */
import type fc from 'fast-check';
import { type Model, settle } from './model.ts';
import { assertAgree, type System } from './system.ts';

export type Command = fc.AsyncCommand<Model, System>;

/** @param work does it to both; what it leads to by itself, sessions that end, is the model's `settle` */
export const command = <A>(
  name: string,
  weight: number,
  args: fc.Arbitrary<A>,
  isPossible: (model: Readonly<Model>) => boolean,
  work: (model: Model, system: System, args: A) => Promise<unknown>,
): fc.WeightedArbitrary<Command> => ({
  weight,
  arbitrary: args.map((drawn) => ({
    check: isPossible,
    run: async (model, system) => {
      await work(model, system, drawn);
      settle(model);
      await assertAgree(model, system);
    },
    toString: () => `${name} ${JSON.stringify(drawn)}`,
  })),
});

export const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T; // commands are possible only where there is one
let serial = 0;
export const named = (stem: string) => `${stem} ${++serial}`;

export const always = () => true;
export const some =
  (list: keyof Model, most = Infinity) =>
  (model: Readonly<Model>) => {
    const there = (model[list] as readonly unknown[]).length; // of the lists of the model
    return there > 0 && there <= most;
  };
export const fewer = (list: keyof Model, most: number) => (model: Readonly<Model>) => (model[list] as readonly unknown[]).length < most; // as above
