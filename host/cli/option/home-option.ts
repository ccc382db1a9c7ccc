import { Option } from 'commander'
import { defaultHome, type Home, homeAt } from '../../node/home/home.ts'

/** The `--home` flag, the same for every command. */
export function homeOption(): Option {
  return new Option(
    '--home <DIR>',
    'folder of the node (default: LOCKSTEP_HOME, else ~/.lockstep, and ~/.lockstep/dev with --dev)',
  )
}

/** The home that the flag names, or the default. */
export function chooseHome(flag: string | undefined, dev = false): Home {
  return homeAt(flag ?? defaultHome(process.env, dev))
}
