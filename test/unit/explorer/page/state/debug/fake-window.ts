/** Returns the parts of a browser's window that the address of a view uses. */
export function fakeWindow(href = 'http://127.0.0.1/explorer/'): Window {
  const location = new URL(href)
  const go = (_state: unknown, _title: string, link: string) => {
    location.href = new URL(link, location.href).href
  }
  return {
    location,
    history: { pushState: go, replaceState: go },
    addEventListener: () => undefined,
    scrollTo: () => undefined,
    setTimeout: (act: () => void) => {
      queueMicrotask(act)
      return 1
    },
    clearTimeout: () => undefined,
  } as unknown as Window
}
