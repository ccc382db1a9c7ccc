/** What the test tells a process that it will kill: where its folder is, and which chain it sends to. */
export interface ToKilled {
  readonly folder: string
  readonly caip2: string
  readonly url: string
}

/** It serves: at a port, where it is the one that listens at one. */
export interface FromKilled {
  readonly ready: number
}

/** Body of a request of the test to the process of the API. */
export interface SendWish {
  readonly walletId: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly requestId: string
}
