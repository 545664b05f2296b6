// SPDX-License-Identifier: Apache-2.0
// What nobody needs at first: the tour, the definitions, the foot of the page and of a copy. Fetched once the page is there.
import { Link } from 'wouter';
import { currentCopy } from '../api/copy';
import { fileAddress } from '../api/home';
import { Definitions } from '../features/glossary/Definitions';
import { TourButton } from '../features/tour/TourButton';
import { AboutCopy } from './AboutCopy';
import './Help.css';

export { Tour } from '../features/tour/Tour';

export function Foot({ path }: { path: string }) {
  return (
    <>
      <footer>
        <AboutCopy />
        <div className="foot">
          <Link href="/glossary">Glossary</Link>
          <Link href="/models">Models</Link>
          {!currentCopy() && <a href={fileAddress('/docs/')}>Documents</a>}
          <TourButton />
        </div>
      </footer>
      <Definitions path={path} />
    </>
  );
}
