/** A router's copy of the data model, kept as routers keep it: from a full state and change sets, and nothing else. */
import assert from 'node:assert/strict';
import type { Frame } from '../../../src/fabric/control-channel/frame.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { MessageBody } from '../../../src/fabric/control-channel/messages/message-type.ts';

const { dataState, changeSet } = messages.dataModel;

type Event = MessageBody<typeof changeSet>['changes'][number];

interface Policy {
  readonly type: string;
  readonly services: Set<string>;
  readonly postureChecks: Set<string>;
}

export class ModelOfRouter {
  index = 0n;
  timelineId = '';
  readonly identities = new Map<string, NonNullable<Event['identity']>>();
  readonly services = new Map<string, NonNullable<Event['service']>>();
  readonly policies = new Map<string, Policy>();
  readonly postureChecks = new Map<string, NonNullable<Event['postureCheck']>>();
  readonly configs = new Map<string, NonNullable<Event['config']>>();
  readonly configTypes = new Map<string, NonNullable<Event['configType']>>();
  readonly publicKeys = new Map<string, NonNullable<Event['publicKey']>>();
  readonly revocations = new Map<string, NonNullable<Event['revocation']>>();
  /** Ids of the policies that select an identity. */
  readonly selected = new Map<string, Set<string>>();

  /** Takes a full state or a change set. */
  take(frame: Pick<Frame, 'contentType' | 'body'>): void {
    if (frame.contentType === dataState.contentType) this.#begin(dataState.decode(frame.body));
    else this.#change(changeSet.decode(frame.body));
  }

  #begin({ events, endIndex, timelineId }: MessageBody<typeof dataState>): void {
    for (const held of Object.values(this)) if (held instanceof Map) held.clear();
    for (const event of events) this.#apply(event);
    [this.index, this.timelineId] = [endIndex, timelineId];
  }

  #change({ index, isSynthetic, changes, previousIndex }: MessageBody<typeof changeSet>): void {
    if (!isSynthetic) {
      assert.equal(previousIndex, this.index, 'a router with another index subscribes again');
      assert.ok(index > this.index, `a router drops index ${index} after ${this.index}`);
      this.index = index;
    }
    for (const event of changes) this.#apply(event);
  }

  #apply({ action, identity, service, servicePolicy, servicePolicyChange, ...rest }: Event): void {
    const put = <T extends { readonly id: string }>(map: Map<string, T>, one: T | undefined) => {
      if (one) action === 'delete' ? map.delete(one.id) : map.set(one.id, one);
    };
    put(this.identities, identity);
    if (identity && action === 'delete') this.selected.delete(identity.id);
    put(this.services, service);
    if (service && action === 'delete') for (const { services } of this.policies.values()) services.delete(service.id);
    put(this.postureChecks, rest.postureCheck);
    put(this.configs, rest.config);
    put(this.configTypes, rest.configType);
    put(this.revocations, rest.revocation);
    const { publicKey } = rest;
    if (publicKey) action === 'delete' ? this.publicKeys.delete(publicKey.kid) : this.publicKeys.set(publicKey.kid, publicKey);
    if (servicePolicy) this.#policy(action, servicePolicy);
    if (servicePolicyChange) this.#select(servicePolicyChange);
  }

  #policy(action: string, { id, policyType }: NonNullable<Event['servicePolicy']>): void {
    const before = this.policies.get(id);
    if (action === 'delete') this.policies.delete(id);
    else this.policies.set(id, { services: new Set(), postureChecks: new Set(), ...before, type: policyType });
  }

  #select({ policyId, relatedEntityIds, relatedEntityType, add }: NonNullable<Event['servicePolicyChange']>): void {
    const policy = this.policies.get(policyId);
    for (const id of relatedEntityIds) {
      if (relatedEntityType === 'identity') {
        assert.ok(this.identities.has(id), 'a router has no place for the policies of an identity that it does not know');
        const own = this.selected.get(id) ?? new Set();
        this.selected.set(id, own);
        add ? own.add(policyId) : own.delete(policyId);
      } else if (policy) {
        const ids = relatedEntityType === 'service' ? policy.services : policy.postureChecks;
        add ? ids.add(id) : ids.delete(id);
      }
    }
  }

  /** Ids of the policies by which an identity may dial or bind a service; posture apart. */
  granting(identityId: string, serviceId: string, type: 'dial' | 'bind'): readonly string[] {
    const identity = this.identities.get(identityId);
    if (!identity || identity.disabled || !this.services.has(serviceId)) return [];
    return [...(this.selected.get(identityId) ?? [])]
      .filter((id) => this.policies.get(id)?.type === type && this.policies.get(id)?.services.has(serviceId))
      .toSorted();
  }
}
