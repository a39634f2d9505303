import { Container } from '@n8n/di';

/*
 * For every suite: resets n8n's services, as in a new process. The suites of a worker share only their classes.
 */
Container.reset();
