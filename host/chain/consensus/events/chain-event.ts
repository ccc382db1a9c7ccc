/** An attribute of an event, as in ABCI. */
export interface EventAttribute {
  readonly key: string
  readonly value: string
  /** True to index it for searches. Subscriptions match all attributes. */
  readonly index: boolean
}

/** An event of a block or a transaction, as in ABCI. */
export interface ChainEvent {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

/** Returns an event whose attributes are indexed. */
export function indexedEvent(
  type: string,
  attributes: readonly (readonly [key: string, value: string])[],
): ChainEvent {
  return { type, attributes: attributes.map(([key, value]) => ({ key, value, index: true })) }
}
