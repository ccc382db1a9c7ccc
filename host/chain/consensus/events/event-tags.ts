import type { ChainEvent } from './chain-event.ts'
import type { EventTags } from './event-query.ts'

/** Returns the values of events by composite key, plus the reserved keys. */
export function eventTags(
  events: readonly ChainEvent[],
  reserved: readonly (readonly [key: string, value: string])[],
): EventTags {
  const tags = new Map<string, string[]>()
  const add = (key: string, value: string) => {
    const values = tags.get(key)
    if (values === undefined) tags.set(key, [value])
    else values.push(value)
  }
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) add(`${type}.${key}`, value)
  }
  for (const [key, value] of reserved) add(key, value)
  return tags
}
