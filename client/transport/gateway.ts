/** Whether the status alone says enough: gateways in front of a service answer these in words, or pages, of their own. */
export const isGatewayStatus = (status: number): boolean => [401, 402, 403, 413, 429].includes(status) || status >= 500;
