import { filterSuite } from '../../conformance/filter.suite.ts';
import { own } from './own-engine-support.ts';

filterSuite(own);
