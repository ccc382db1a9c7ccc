import type { Metrics } from './metrics.ts'

/** Metrics of a node that serves none: nothing is recorded, and prom-client is not loaded. */
export const UNREAD_METRICS: Metrics = {
  add: () => {},
  set: () => {},
  observe: () => {},
  merge: () => {},
  onRender: () => {},
  render: async () => '',
  contentType: 'text/plain',
}
