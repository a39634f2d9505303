import { Container } from '@n8n/di';

/*
 * For every suite: n8n's services are made anew when they are asked for, as in a process that has just begun. Their
 * classes are shared by the suites of a worker.
 */
Container.reset();
