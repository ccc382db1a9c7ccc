import { type ReadonlySignal, signal } from '@preact/signals'

export type ThemeName = 'dark' | 'light'

const KEY = 'lockstep-theme'

/** Dark or light: the system's setting until the user chooses; the choice is stored in this browser. */
export class Theme {
  readonly name: ReadonlySignal<ThemeName>
  readonly #window: Window
  readonly #name

  constructor(window: Window) {
    this.#window = window
    const system = window.matchMedia('(prefers-color-scheme: dark)')
    const chosen = this.#read()
    this.#name = signal<ThemeName>(chosen ?? (system.matches ? 'dark' : 'light'))
    this.name = this.#name
    if (chosen !== undefined) this.#apply(chosen)
    system.addEventListener('change', ({ matches }) => {
      if (this.#read() === undefined) this.#name.value = matches ? 'dark' : 'light'
    })
  }

  toggle(): void {
    const name = this.#name.value === 'dark' ? 'light' : 'dark'
    this.#name.value = name
    this.#apply(name)
    try {
      this.#window.localStorage.setItem(KEY, name)
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }

  #apply(name: ThemeName): void {
    this.#window.document.documentElement.dataset.theme = name
  }

  #read(): ThemeName | undefined {
    try {
      const kept = this.#window.localStorage.getItem(KEY)
      return kept === 'dark' || kept === 'light' ? kept : undefined
    } catch {
      return undefined
    }
  }
}
