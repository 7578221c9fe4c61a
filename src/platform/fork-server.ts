/**
 * A process that does nothing but start agents, for a supervisor that must not wait: a fork copies the tables of all its
 * memory, and Node waits until the child has become another program. This one is small and waits for nobody.
 *
 * In Perl because Node cannot fork, and a compiled program could not be installed without a compiler. Everything it is
 * told is a value; it builds no command. It ends when its stdin does.
 *
 * It reads orders: a line with a length, and so many bytes of fields with a NUL between them. `env` and variables: what
 * all agents get from now on. `start`, run, directory, the files for stdin, stdout and stderr, the number of variables,
 * the variables, the argv: these variables besides. It writes one line each:
 *
 *   ready                              once
 *   started <run> <pid> <start time>   0 where it had gone before anybody looked
 *   failed <run> <errno> <what>        nothing was started; what is `cwd`, `stdin`, `stdout`, `stderr` or `fork`
 *   ended <pid> <wait status>          may come before its `started`
 */
export const FORK_SERVER = String.raw`
use strict; use warnings; use Fcntl; use POSIX ();
$0 = 'fleet (starts agents)';
open my $report, '>&', \*STDOUT or die $!;
sub report { syswrite $report, "@_\n" }
$SIG{CHLD} = sub { local ($!, $?); while ((my $pid = waitpid -1, POSIX::WNOHANG()) > 0) { report('ended', $pid, $?) } };

sub start {
  my ($run, $cwd, $in, $out, $err, $count, @argv) = @_;
  my @env = splice @argv, 0, $count;
  my $append = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
  sysopen my $stdin, $in, O_RDONLY or return report('failed', $run, $! + 0, 'stdin');
  sysopen my $stdout, $out, $append, 0600 or return report('failed', $run, $! + 0, 'stdout');
  sysopen my $stderr, $err, $append, 0600 or return report('failed', $run, $! + 0, 'stderr');
  chdir $cwd or return report('failed', $run, $! + 0, 'cwd');
  my $pid = fork;
  if (!defined $pid) { report('failed', $run, $! + 0, 'fork') }
  elsif ($pid == 0) { become(\@argv, \@env, $stdin, $stdout, $stderr) }
  else { report('started', $run, $pid, start_time($pid)) }
  chdir '/';
}

sub become {
  my ($argv, $env, @files) = @_;
  POSIX::setsid();
  POSIX::dup2(fileno $files[$_], $_) for 0 .. 2;
  variables(@$env);
  no warnings 'exec';
  exec { $argv->[0] } @$argv;
  syswrite STDERR, "no agent could be started ($argv->[0]): $!\n";
  POSIX::_exit(126);
}

sub variables { for (@_) { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value } }

sub start_time {
  open my $file, '<', "/proc/$_[0]/stat" or return 0;
  my $stat = <$file> // return 0;
  return (split ' ', substr $stat, rindex($stat, ')') + 2)[19];
}

report('ready');
my $orders = '';
while (1) {
  my $read = sysread STDIN, $orders, 65536, length $orders;
  if (!defined $read) { next if $! == POSIX::EINTR(); last }
  last if $read == 0;
  while ($orders =~ /^(\d+)\n/ && length $orders >= length($1) + 1 + $1) {
    my $start = length($1) + 1;
    my $order = substr $orders, $start, $1;
    substr $orders, 0, $start + $1, '';
    my ($what, @fields) = split /\0/, $order, -1;
    if ($what eq 'start') { start(@fields) } else { %ENV = (); variables(@fields) }
  }
}
`
