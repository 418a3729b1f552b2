# The poll and its page.
module Poll
  POLLS = { 'tea or coffee' => [3, 1], 'tabs or spaces' => [0, 0] }.freeze

  def self.page
    POLLS.map { |name, (yes, no)| "#{name}: #{share(yes, yes + no)} %\n" }.join
  end

  def self.share(part, whole)
    whole.zero? ? 0 : 100 * part / whole
  end
end
