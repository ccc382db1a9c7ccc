import { stringify } from 'smol-toml'

type CometValue = string | number | boolean | readonly string[]

/** CometBFT's config.toml: its keys above the sections, and those of each section, as CometBFT names them. */
export type CometConfig = Readonly<
  Record<string, CometValue | Readonly<Record<string, CometValue>>>
>

const HEAD = [
  '# Written anew by `lockstep start` from config.toml of the home: a change here is lost.',
  '',
]

/** The text of the file. */
export function renderCometConfig(config: CometConfig): string {
  return [...HEAD, stringify(config), ''].join('\n')
}
