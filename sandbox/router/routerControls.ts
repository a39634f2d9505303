/** What a test turns on the router. */
import type { Sandbox } from '../types';
import type { RouterService } from './routerService';

type Controls = Pick<Sandbox, 'jwt' | 'advanceClock' | 'setSpendLimit' | 'setRouterConcurrency' | 'setRouterBacklog' | 'setRouterEnabled'>;

export const routerControls = ({ tokens, clock, limits, queue }: RouterService): Controls => ({
	jwt: (options) => tokens.mint(options),
	advanceClock: (ms) => {
		clock.advance(ms);
		queue.advance();
	},
	setSpendLimit: (account, cents) => {
		if (cents === null) limits.spend.delete(account);
		else limits.spend.set(account, cents);
		queue.advance();
	},
	setRouterConcurrency: (calls) => {
		limits.concurrency = calls;
		queue.advance();
	},
	setRouterBacklog: (requests) => {
		limits.backlog = requests;
	},
	setRouterEnabled: (enabled) => {
		limits.enabled = enabled;
	},
});
