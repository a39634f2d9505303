import { handshakes } from './handshakes';
import { frames } from './socketFrames';
import { orders } from './socketOrders';

/** Everything that can happen to a WebSocket. */
export const sockets = [...handshakes, ...frames, ...orders];
