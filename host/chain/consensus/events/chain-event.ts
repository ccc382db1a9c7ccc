/** One attribute of an event, as ABCI has it. */
export interface EventAttribute {
  readonly key: string
  readonly value: string
  /** True where searches find it; subscriptions match all. */
  readonly index: boolean
}

/** What a block or a transaction did, as ABCI tells it. */
export interface ChainEvent {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

/** An event whose attributes searches find. */
export function indexedEvent(
  type: string,
  attributes: readonly (readonly [key: string, value: string])[],
): ChainEvent {
  return { type, attributes: attributes.map(([key, value]) => ({ key, value, index: true })) }
}
