/** A plugin of typedoc: operations are declared as data, so that their documentation is in their declarations and not in comments. */
import { type Application, Comment, Converter, type DeclarationReflection, ReflectionKind } from 'typedoc';
import { groups } from '../src/api/index.ts';
import type { Group } from '../src/api/kit/operation.ts';

export const load = (app: Application): void => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const facade of project.getReflectionsByKind(ReflectionKind.Interface | ReflectionKind.TypeAlias))
      if (['ManagementController', 'Facade', 'Client'].includes(facade.name)) document(facade as DeclarationReflection); // of these kinds all are
  });
};

const document = (facade: DeclarationReflection): void => {
  for (const { name, about, operations } of Object.values<Group>(groups)) {
    const group = facade.getChildByName([name]) as DeclarationReflection | undefined; // a property
    if (!group) continue;
    say(group, about);
    const verbs = group.type?.type === 'reflection' ? group.type.declaration : undefined;
    for (const [verb, { summary, method, path, permission }] of Object.entries(operations)) {
      const declared = verbs?.getChildByName([verb]) as DeclarationReflection | undefined; // a property with a function
      if (declared) say(declared, `${summary}. \`${method} ${path}\`, for: ${permission}.`);
    }
  }
};

const say = (reflection: DeclarationReflection, text: string): void => {
  const comment = new Comment([{ kind: 'text', text }]);
  const signatures = reflection.signatures ?? (reflection.type?.type === 'reflection' ? reflection.type.declaration.signatures : undefined);
  reflection.comment = comment;
  for (const signature of signatures ?? []) signature.comment = comment.clone();
};
