import type { CommandRow } from './command-row.ts'

export const START_ROW: CommandRow = {
  name: 'start',
  summary: 'run the node',
  example: 'lockstep start --dev',
  load: async () => (await import('./start/start.ts')).defineStart,
}
