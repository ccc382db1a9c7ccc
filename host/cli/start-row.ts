import type { CommandRow } from './command-row.ts'

/** The commands that run a node, which are bundled separately. */
export const START_ROWS: readonly CommandRow[] = [
  {
    name: 'start',
    summary: 'run the node',
    example: 'lockstep start --dev',
    load: async () => (await import('./start/start.ts')).defineStart,
  },
  {
    name: 'anvil',
    summary: 'run a development chain with the flags and the output of anvil, in a home of its own',
    example: 'lockstep anvil --port 8545 --block-time 2',
    load: async () => (await import('./start/anvil.ts')).defineAnvil,
  },
]
