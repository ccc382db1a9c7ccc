/** Tokens with a vendor's prefix, as published for secret scanners. */
export const VENDOR_TOKENS: readonly RegExp[] = [
  // HashiCorp Vault: service, batch and recovery tokens, old and new
  /\bhv[sbr]\.[\w-]{8,}/g,
  /\bs\.[A-Za-z0-9]{24}\b/g,
  // GitHub, GitLab
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g,
  /\bgl(?:pat|ptt|dt|rt|soat|cbt)-[\w-]{16,}/g,
  // OpenAI, Anthropic, Stripe and other vendors of sk- or sk_ prefixes
  /\b(?:sk|rk)[-_](?:[a-z]{2,12}[-_]){0,3}[\w-]{16,}/g,
  // Slack, Discord and Telegram bots
  /\b(?:xox[a-z]|xapp)-[\w-]{10,}/g,
  /\bbot\d{6,12}:[\w-]{30,}/g,
  /\b[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,}/g,
  // AWS, Google, Azure
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bGOCSPX-[\w-]{20,}/g,
  /\bAccountKey=[\w+/=]{40,}/g,
  // Package registries and services
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[\w-]{16,}/g,
  /\bdckr_pat_[\w-]{16,}/g,
  /\bdo[opr]_v1_[a-f0-9]{32,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bkey-[a-f0-9]{32}\b/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\btskey-[\w-]{16,}/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}/g,
  // Webhooks (Standard Webhooks, Stripe), age
  /\bwhsec_[\w+/=-]{8,}/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/gi,
  // Extended private keys (BIP-32)
  /\b[xyzt]prv[1-9A-HJ-NP-Za-km-z]{80,}/g,
]
